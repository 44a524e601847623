# Builds that are made whole, for users and for CI, compile the files of a target several at a time:
# most of what a file costs is the templates that its neighbours need too. Where a build is made
# again after each change (the dev preset) this is off, and a file that forgot an include shows.

option(WINDLASS_JOINED "Compile several files of a target at a time" OFF)

# windlass_joined(<target>)
function(windlass_joined target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${WINDLASS_JOINED} UNITY_BUILD_BATCH_SIZE 8)
  if(WINDLASS_JOINED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # a joined file looks like a header
  endif()
endfunction()

# windlass_joined_schema(<target>): every file that protoc writes has two names of its own that they
# all use.
function(windlass_joined_schema target)
  windlass_joined(${target})
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD_UNIQUE_ID WINDLASS_JOINED_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#define WINDLASS_JOIN_(a, b) a##b
#define WINDLASS_JOIN(a, b) WINDLASS_JOIN_(a, b)
#define schemas WINDLASS_JOIN(schemas, WINDLASS_JOINED_FILE)
#define file_default_instances WINDLASS_JOIN(file_default_instances, WINDLASS_JOINED_FILE)")
endfunction()
