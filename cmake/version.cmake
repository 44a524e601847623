# What `windlass --version` says. Only a release names its commit: other builds would link every program
# again after each.

set(WINDLASS_COMMIT "" CACHE STRING "Commit that a release names (default: that of the clone)")
set(commit "")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(commit "${WINDLASS_COMMIT}")
  if(NOT commit)
    execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # Grows with every commit, and each checkout.
    execute_process(COMMAND git rev-parse --path-format=absolute --git-path logs/HEAD
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes AND EXISTS ${changes})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${changes})
    endif()
  endif()
endif()
string(TOLOWER "${CMAKE_BUILD_TYPE}" build)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  string(APPEND build ", g++ ${CMAKE_CXX_COMPILER_VERSION}")
else()
  string(APPEND build ", clang++ ${CMAKE_CXX_COMPILER_VERSION}")
endif()
set_source_files_properties(src/plane/version.cc PROPERTIES
  COMPILE_DEFINITIONS "WINDLASS_VERSION=\"${PROJECT_VERSION}\";WINDLASS_COMMIT=\"${commit}\";WINDLASS_BUILD=\"${build}\"")
