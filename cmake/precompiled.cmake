# The headers that cost most and change least are parsed once per build: the standard library's,
# fmt's, the generated schema's and GoogleTest's. None of our own is among them. Where this is off
# (WINDLASS_PRECOMPILED: clang-tidy) a file that forgot an include shows.

option(WINDLASS_PRECOMPILED "Parse the heavy headers once" ON)

set(windlass_plain_headers
  <algorithm> <array> <charconv> <chrono> <cstdint> <deque> <functional> <map> <memory> <optional>
  <set> <span> <string> <string_view> <tuple> <utility> <variant> <vector> <tl/expected.hpp>
  <fmt/format.h>)
set(windlass_schema_headers
  <schema/batch/v1/job.pb.h> <schema/core/v1/pod.pb.h> <schema/meta/v1/meta.pb.h>)
set(windlass_test_headers <gmock/gmock.h> <gtest/gtest.h>)

# windlass_sees_schema(<out> <target>...): whether one of the targets is the schema or sees it.
function(windlass_sees_schema out)
  get_property(seers GLOBAL PROPERTY windlass_schema_seers)
  set(${out} FALSE PARENT_SCOPE)
  foreach(target ${ARGN})
    if(target STREQUAL windlass_schema OR target IN_LIST seers)
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# windlass_precompiled(<target> library|test LINK <target>...): the headers that fit what it links.
function(windlass_precompiled target purpose)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  windlass_sees_schema(schema ${ARG_LINK})
  if(schema)
    set_property(GLOBAL APPEND PROPERTY windlass_schema_seers ${target})
  endif()
  if(NOT WINDLASS_PRECOMPILED)
    return()
  endif()
  set(owner windlass_precompiled_${purpose})
  set(headers ${windlass_plain_headers})
  set(libraries windlass_options fmt::fmt)
  if(schema)
    string(APPEND owner _schema)
    list(APPEND headers ${windlass_schema_headers})
    list(APPEND libraries windlass_schema)
  endif()
  if(purpose STREQUAL test)
    list(APPEND headers ${windlass_test_headers})
    list(APPEND libraries GTest::gmock)
  endif()
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${owner}.cc CONTENT "")
    add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/${owner}.cc)
    target_link_libraries(${owner} PRIVATE ${libraries})
    if(purpose STREQUAL test)
      target_compile_options(${owner} PRIVATE ${WINDLASS_TEST_OPTIONS})
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
