# What cmake/install.cmake installs and the program writes: `program`, `bin`, `data` and `man` are set.

set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
function(run)
  execute_process(COMMAND ${program} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(folder ${bin} ${man} ${data}/bash-completion/completions ${data}/zsh/site-functions
    ${data}/fish/vendor_completions.d)
  file(MAKE_DIRECTORY ${root}/${folder})
endforeach()
file(CREATE_LINK windlass ${root}/${bin}/kubectl-windlass SYMBOLIC)
run(man ${root}/${man})
run(completion bash OUTPUT_FILE ${root}/${data}/bash-completion/completions/windlass)
run(completion zsh OUTPUT_FILE ${root}/${data}/zsh/site-functions/_windlass)
run(completion fish OUTPUT_FILE ${root}/${data}/fish/vendor_completions.d/windlass.fish)
message(STATUS "Installed: manual pages, completions and kubectl-windlass")
