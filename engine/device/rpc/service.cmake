# Generates build/generated/engine/device/rpc/service{,.grpc}.pb.{h,cc} and adds them to tw_device_rpc.
set(proto ${CMAKE_SOURCE_DIR}/engine/device/rpc/service.proto)
set(service ${CMAKE_BINARY_DIR}/generated/engine/device/rpc/service)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
set(service_files ${service}.pb.cc ${service}.pb.h ${service}.grpc.pb.cc ${service}.grpc.pb.h)
add_custom_command(
  OUTPUT ${service_files}
  COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/generated
          --grpc_out=${CMAKE_BINARY_DIR}/generated --plugin=protoc-gen-grpc=${TW_GRPC_PLUGIN} ${proto}
  DEPENDS ${proto}
  VERBATIM)
set_source_files_properties(${service}.pb.cc ${service}.grpc.pb.cc PROPERTIES COMPILE_OPTIONS -w)
target_sources(tw_device_rpc PRIVATE ${service_files})
