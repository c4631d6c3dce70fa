# What an exported folder gets for kernels on the GPU.
file(GLOB package_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/targets/opencl/hardware/*.cpp ${CMAKE_SOURCE_DIR}/targets/opencl/runtime/*.cpp
  ${CMAKE_SOURCE_DIR}/targets/opencl/package/*.cpp ${CMAKE_SOURCE_DIR}/targets/shared/launch_record/*.cpp)
list(FILTER package_sources EXCLUDE REGEX "runtime/device_runtime\\.cpp$")
list(APPEND package_sources ${CMAKE_SOURCE_DIR}/engine/runtime/library_parts.cpp)
tw_accelerator_kit(opencl INCLUDE_AFTER ${TW_OPENCL_HEADERS} SOURCES ${package_sources})
