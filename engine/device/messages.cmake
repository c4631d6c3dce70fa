# Generates build/generated/engine/device/messages.pb.{h,cc} and adds them to tw_device.
set(proto ${CMAKE_SOURCE_DIR}/engine/device/messages.proto)
set(messages ${CMAKE_BINARY_DIR}/generated/engine/device/messages.pb)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${messages}.cc ${messages}.h
  COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR}/generated
          ${proto}
  DEPENDS ${proto}
  VERBATIM)
set_source_files_properties(${messages}.cc PROPERTIES COMPILE_OPTIONS -w)
target_sources(tw_device PRIVATE ${messages}.cc ${messages}.h)
