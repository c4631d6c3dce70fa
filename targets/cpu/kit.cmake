# What an exported folder gets besides the model: the runtime library and the example, built here so
# that an export needs no compiler, for this machine's architecture and for others whose compilers
# are installed. They lie beside the programs: lib/tilewright/{tilewright.h, example.*, tilewright*.cmake, tilewright.pc,
# TARGET/ARCHITECTURE/}.
set(kit ${CMAKE_BINARY_DIR}/lib/tilewright)
file(GLOB runtime_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/runtime/package/*.cpp)
list(APPEND runtime_sources
  ${CMAKE_SOURCE_DIR}/engine/runtime/cores.cpp ${CMAKE_SOURCE_DIR}/engine/runtime/kernel_runtime.cpp
  ${CMAKE_SOURCE_DIR}/engine/runtime/module.cpp ${CMAKE_SOURCE_DIR}/engine/runtime/device_runtime.cpp
  ${CMAKE_SOURCE_DIR}/engine/runtime/stream_pool.cpp ${CMAKE_SOURCE_DIR}/engine/runtime/thread_pool.cpp
  ${CMAKE_SOURCE_DIR}/engine/tensor/dtype.cpp ${CMAKE_SOURCE_DIR}/engine/support/base/error.cpp
  ${CMAKE_SOURCE_DIR}/targets/cpu/hardware/can_run.cpp ${CMAKE_SOURCE_DIR}/targets/cpu/hardware/tiles.cpp
  ${CMAKE_SOURCE_DIR}/targets/cpu/runtime/cpu_processor.cpp ${CMAKE_SOURCE_DIR}/targets/cpu/runtime/tilewright.cpp)
file(GLOB_RECURSE runtime_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/runtime/*.h ${CMAKE_SOURCE_DIR}/targets/cpu/runtime/*.h)
set(example ${CMAKE_SOURCE_DIR}/resources/export/example.cpp)

set(own ${kit}/cpu/${CMAKE_SYSTEM_PROCESSOR})
add_library(tw_runtime_library SHARED ${runtime_sources})
set(version 1)  # TW_API_VERSION: what was linked with another one is not loaded
set_target_properties(tw_runtime_library PROPERTIES OUTPUT_NAME tilewright_runtime SOVERSION ${version} LIBRARY_OUTPUT_DIRECTORY ${own}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
# Reading a description takes a millisecond however it is compiled, and this processor has no streams: it had better be small.
set(small_sources ${runtime_sources})
list(FILTER small_sources INCLUDE REGEX
  "runtime/(kernel_runtime|device_runtime|stream_pool|package/(accelerator|bound_steps|control|description[a-z_]*|dlpack|json))\\.cpp$")
set_source_files_properties(${small_sources} PROPERTIES COMPILE_OPTIONS -Os)
# Symbols that are one for the whole process, as GCC makes them, would keep the library from being unloaded.
set(unloadable -fno-gnu-unique)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(unloadable "")
endif()
target_compile_options(tw_runtime_library PRIVATE ${TW_WARNINGS} ${unloadable} -ffunction-sections -fdata-sections)
tw_optimize(tw_runtime_library)
target_include_directories(tw_runtime_library PRIVATE ${CMAKE_SOURCE_DIR})
target_link_options(tw_runtime_library PRIVATE -Wl,--gc-sections -Wl,-s)
target_link_libraries(tw_runtime_library PRIVATE Threads::Threads dl)
add_executable(tw_example ${example})
set_target_properties(tw_example PROPERTIES OUTPUT_NAME example RUNTIME_OUTPUT_DIRECTORY ${own}
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_include_directories(tw_example PRIVATE ${CMAKE_SOURCE_DIR}/engine/runtime)
target_link_libraries(tw_example PRIVATE tw_runtime_library)

set(copies "")
foreach(file engine/runtime/tilewright.h resources/export/example.cpp resources/export/example.py resources/export/tilewright.pc
    resources/export/tilewright-config.cmake resources/export/tilewright-config-version.cmake)
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${kit}/${name} DEPENDS ${CMAKE_SOURCE_DIR}/${file}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/${file} ${kit}/${name} VERBATIM)
  list(APPEND copies ${kit}/${name})
endforeach()

set(others "")
# Without the cross compiler, an export for that architecture says what is missing.
find_program(TW_AARCH64_COMPILER aarch64-linux-gnu-g++)
find_program(TW_ARMV7_COMPILER arm-linux-gnueabihf-g++)
foreach(architecture aarch64 armv7)
  string(TOUPPER ${architecture} upper)
  set(compiler ${TW_${upper}_COMPILER})
  if(NOT compiler OR CMAKE_SYSTEM_PROCESSOR STREQUAL architecture)
    continue()
  endif()
  set(other ${kit}/cpu/${architecture})
  set(library libtilewright_runtime.so)
  add_custom_command(OUTPUT ${other}/${library}.${version} ${other}/example
    DEPENDS ${runtime_sources} ${runtime_headers} ${example}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${other}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${other}/${library}
    COMMAND ${compiler} -std=c++23 -O2 -fPIC -shared -fvisibility=hidden -fno-gnu-unique -ffunction-sections
            -Wl,--gc-sections -Wl,-soname,${library}.${version} -s
            -I${CMAKE_SOURCE_DIR} ${runtime_sources} -o ${other}/${library}.${version} -pthread -ldl
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${library}.${version} ${other}/${library}
    COMMAND ${compiler} -std=c++17 -O2 -I${CMAKE_SOURCE_DIR}/engine/runtime ${example} -o ${other}/example
            -L${other} -ltilewright_runtime "-Wl,-rpath,$ORIGIN"
    VERBATIM)
  list(APPEND others ${other}/${library}.${version} ${other}/example)
endforeach()
add_custom_target(tw_kit DEPENDS ${copies} tw_runtime_library tw_example)
# Those for other machines are made with everything, and not before the window opens.
add_custom_target(tw_all_kits ALL DEPENDS ${others} tw_kit)
