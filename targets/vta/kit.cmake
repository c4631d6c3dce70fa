# What an exported folder gets for kernels on the accelerator.
file(GLOB package_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/targets/vta/hardware/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/simulator/*.cpp
  ${CMAKE_SOURCE_DIR}/targets/vta/stream/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/runtime/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/package/*.cpp)
list(FILTER package_sources EXCLUDE REGEX "hardware/(boards|lint)\\.cpp$|runtime/device_runtime\\.cpp$")
tw_accelerator_kit(vta SOURCES ${package_sources})
