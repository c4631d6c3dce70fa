find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC REQUIRED CONFIG)
find_program(TW_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)
if(TW_DEVICE_ONLY)
  return()
endif()
find_package(CLI11 REQUIRED)
find_package(Qt6 6.4 REQUIRED COMPONENTS Widgets Concurrent Network Test)

# Asking for version 19 is refused by the package's own version file, so the path decides.
find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
add_library(tw_llvm INTERFACE)
target_include_directories(tw_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(tw_llvm INTERFACE
  /usr/lib/llvm-19/lib/liblldELF.a /usr/lib/llvm-19/lib/liblldCommon.a LLVM z zstd)
target_link_directories(tw_llvm INTERFACE /usr/lib/llvm-19/lib)

# Integer sets, for the legality of schedule steps.
find_path(ISL_INCLUDE isl/ctx.h REQUIRED)
find_library(ISL_LIBRARY isl REQUIRED)
add_library(tw_isl INTERFACE)
target_include_directories(tw_isl SYSTEM INTERFACE ${ISL_INCLUDE})
target_link_libraries(tw_isl INTERFACE ${ISL_LIBRARY})
