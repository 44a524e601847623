# cmake --install build/release [--prefix /usr]: the program, `kubectl windlass`, manual pages,
# completions and the licence. $DESTDIR is for packages. The texts come from the program itself.

include(GNUInstallDirs)
install(TARGETS windlass RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS deploy/kubectl/kubectl_complete-windlass DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(CODE "
  set(program \"$<TARGET_FILE:windlass>\")
  set(bin \"${CMAKE_INSTALL_BINDIR}\")
  set(data \"${CMAKE_INSTALL_DATADIR}\")
  set(man \"${CMAKE_INSTALL_MANDIR}/man1\")
")
install(SCRIPT cmake/install_texts.cmake)
