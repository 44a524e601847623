# The API schema: every proto/**/*.proto becomes C++ in one library. Generated headers are included
# as system headers, so that our warnings stay about our code.

function(windlass_schema name directory)
  file(GLOB_RECURSE protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${directory}/*.proto)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  set(outputs)
  foreach(proto ${protos})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR}/${directory} ${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${relative})
    set(made ${generated}/schema/${stem}.pb.cc ${generated}/schema/${stem}.pb.h)
    add_custom_command(
      OUTPUT ${made}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/schema
      COMMAND protobuf::protoc --cpp_out=${generated} --proto_path=schema=${CMAKE_SOURCE_DIR}/${directory}
              schema/${relative}
      DEPENDS ${protos}
      COMMENT "protoc ${relative}"
      VERBATIM)
    list(APPEND outputs ${made})
  endforeach()
  add_library(${name} STATIC ${outputs})
  target_compile_options(${name} PRIVATE -w)
  # Without NDEBUG the generated code checks every proto2 string for UTF-8 and complains on standard
  # error; whether text is valid is for our own validation to say.
  target_compile_definitions(${name} PRIVATE NDEBUG)
  target_include_directories(${name} SYSTEM PUBLIC ${generated})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()
