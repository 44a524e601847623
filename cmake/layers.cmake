# One library per layer, a folder of src/ with its subfolders, and one test program for the *_test.cc
# files beside its sources.

add_library(windlass_options INTERFACE)
target_compile_options(windlass_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely inside std::string and std::variant, where the optimiser has inlined
  # them. The sanitizers look for the real ones.
  target_compile_options(windlass_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(windlass_options INTERFACE ${CMAKE_SOURCE_DIR}/src)

# The optimiser is for what users run; test files, which only call it, would take half of a build.
set(WINDLASS_TEST_OPTIONS "" CACHE STRING "Options for test files, after the build's own")

# Fuzz targets are guided by what they reach in these layers. Elsewhere, and in tests, the counters for
# that only make files an eighth slower to compile, and slower to run.
set(WINDLASS_FUZZED_LAYERS base env engine http api store ledger client apiserver virtual_world)
set(WINDLASS_UNFUZZED_OPTIONS "")
if(WINDLASS_FUZZ)
  set(WINDLASS_UNFUZZED_OPTIONS -fno-sanitize-coverage=trace-cmp,inline-8bit-counters,pc-table,indirect-calls,stack-depth)
endif()

# The reports of the tests.
set(WINDLASS_RESULTS ${CMAKE_BINARY_DIR}/results)

include(${CMAKE_CURRENT_LIST_DIR}/precompiled.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/joined.cmake)

function(windlass_target_name folder out)
  string(REPLACE "/" "_" flat ${folder})
  set(${out} windlass_${flat} PARENT_SCOPE)
endfunction()

# windlass_layer(<folder> [DEPENDS <folder>...] [LINK <library>...] [TEST_DEPENDS <folder>...]
#                [APART <file>...])
function(windlass_layer folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;TEST_DEPENDS;APART" ${ARGN})
  windlass_target_name(${folder} name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")

  set(links ${ARG_LINK} windlass_options)
  foreach(dependency ${ARG_DEPENDS})
    windlass_target_name(${dependency} dependency_name)
    list(APPEND links ${dependency_name})
  endforeach()

  if(sources)
    add_library(${name} STATIC)
    windlass_sources(${name} ${sources} APART ${ARG_APART})
    target_link_libraries(${name} PUBLIC ${links})
    if(NOT folder IN_LIST WINDLASS_FUZZED_LAYERS)
      target_compile_options(${name} PRIVATE ${WINDLASS_UNFUZZED_OPTIONS})
    endif()
    windlass_precompiled(${name} library LINK ${links})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${links})
  endif()
  if(WINDLASS_TESTS AND tests)
    set(test_links ${name})
    foreach(dependency ${ARG_TEST_DEPENDS})
      windlass_target_name(${dependency} dependency_name)
      list(APPEND test_links ${dependency_name})
    endforeach()
    windlass_test(${name}_test SOURCES ${tests} LINK ${test_links})
  endif()
endfunction()

# windlass_test(<name> SOURCES <file>... LINK <library>...): one GoogleTest program, one ctest entry.
function(windlass_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name})
  windlass_sources(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} windlass_options GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${WINDLASS_TEST_OPTIONS} ${WINDLASS_UNFUZZED_OPTIONS})
  windlass_precompiled(${name} test LINK ${ARG_LINK})
  if(TARGET rapidcheck)
    target_link_libraries(${name} PRIVATE rapidcheck)
  endif()
  # Tests run in the root of the repository and name its files relative to it: an absolute path in
  # the command line would keep ccache from sharing objects between clones.
  target_compile_definitions(${name} PRIVATE WINDLASS_SOURCE_DIR=".")
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  # The same cases in every run: a test either fails or it does not. To search further, run a test
  # program by hand with RC_PARAMS="max_success=100000", or with another seed.
  set(cases "seed=20261115")
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize")
    string(APPEND cases " max_success=30")  # of a release build's 100
  endif()
  # tests/skipped reads the reports.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600
    ENVIRONMENT "RC_PARAMS=${cases};GTEST_OUTPUT=xml:${WINDLASS_RESULTS}/${name}.xml")
endfunction()
