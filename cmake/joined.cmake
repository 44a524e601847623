# Builds that are made whole, for users and for CI, compile the files of a target several at a time:
# most of what a file costs is the templates that its neighbours need too. Where a build is made
# again after each change (the dev preset) this is off, and a file that forgot an include shows.
#
# A unit names its files relative to a folder of includes, never by where the clone is (CMake's own
# unity builds name absolute paths).

option(WINDLASS_JOINED "Compile several files of a target at a time" OFF)
set(WINDLASS_JOINED_FILES 8)

# windlass_sources(<target> <file>... [APART <file>...] [OWN_NAMES <name>...]): gives the target its
# sources. Files APART, relative to src, are compiled alone. OWN_NAMES are names that every file has
# for itself.
function(windlass_sources target)
  cmake_parse_arguments(ARG "" "" "APART;OWN_NAMES" ${ARGN})
  set(files ${ARG_UNPARSED_ARGUMENTS})
  if(NOT WINDLASS_JOINED)
    target_sources(${target} PRIVATE ${files})
    return()
  endif()
  foreach(file ${ARG_APART})
    list(REMOVE_ITEM files ${CMAKE_SOURCE_DIR}/src/${file})
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src/${file})
    # What is shipped does not say where the clone is.
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/${file}
      APPEND PROPERTY COMPILE_OPTIONS -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
  endforeach()
  list(FILTER files INCLUDE REGEX "\\.cc$")
  set(unit 0)
  while(files)
    list(SUBLIST files 0 ${WINDLASS_JOINED_FILES} together)
    list(REMOVE_ITEM files ${together})
    windlass_unit(text FILES ${together} OWN_NAMES ${ARG_OWN_NAMES})
    set(path ${CMAKE_BINARY_DIR}/joined/${target}_${unit}.cc)
    file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
    target_sources(${target} PRIVATE ${path})
    math(EXPR unit "${unit} + 1")
  endwhile()
  # Test programs lie outside of src.
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # a joined file looks like a header
  endif()
endfunction()

# windlass_unit(<out> FILES <file>... OWN_NAMES <name>...): the text of one unit.
function(windlass_unit out)
  cmake_parse_arguments(ARG "" "" "FILES;OWN_NAMES" ${ARGN})
  set(text "")
  set(number 0)
  foreach(file ${ARG_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(name ${file})
    foreach(folder ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
      cmake_path(IS_PREFIX folder ${name} inside)
      if(inside)
        cmake_path(RELATIVE_PATH name BASE_DIRECTORY ${folder})
        break()
      endif()
    endforeach()
    foreach(own ${ARG_OWN_NAMES})
      string(APPEND text "#define ${own} ${own}_${number}\n")
    endforeach()
    string(APPEND text "#include \"${name}\"\n")
    foreach(own ${ARG_OWN_NAMES})
      string(APPEND text "#undef ${own}\n")
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
