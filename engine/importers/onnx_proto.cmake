# tw_onnx_proto: readers and writers made from the packaged onnx.proto. Debian's own libonnx_proto is
# not linked: it would register the same messages a second time.
find_path(TW_ONNX_PROTO_FOLDER onnx.proto PATH_SUFFIXES onnx REQUIRED)
set(onnx_generated ${CMAKE_BINARY_DIR}/generated_onnx)
file(MAKE_DIRECTORY ${onnx_generated})
add_custom_command(
  OUTPUT ${onnx_generated}/onnx.pb.cc ${onnx_generated}/onnx.pb.h
  COMMAND protobuf::protoc --proto_path=${TW_ONNX_PROTO_FOLDER} --cpp_out=${onnx_generated}
          ${TW_ONNX_PROTO_FOLDER}/onnx.proto
  DEPENDS ${TW_ONNX_PROTO_FOLDER}/onnx.proto
  VERBATIM)
add_library(tw_onnx_proto STATIC ${onnx_generated}/onnx.pb.cc ${onnx_generated}/onnx.pb.h)
target_compile_options(tw_onnx_proto PRIVATE -w)
target_include_directories(tw_onnx_proto SYSTEM PUBLIC ${onnx_generated})
target_link_libraries(tw_onnx_proto PUBLIC protobuf::libprotobuf)
