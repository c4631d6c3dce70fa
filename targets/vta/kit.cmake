# What an exported folder gets for kernels on an accelerator: libtilewright_vta.so.1, which the runtime library beside it
# loads when a package asks for one. One for each architecture that a runtime library is built for:
# lib/tilewright/vta/ARCHITECTURE/.
if(NOT TARGET tw_kit)
  return()
endif()
file(GLOB package_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/targets/vta/hardware/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/simulator/*.cpp
  ${CMAKE_SOURCE_DIR}/targets/vta/stream/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/runtime/*.cpp ${CMAKE_SOURCE_DIR}/targets/vta/package/*.cpp)
list(FILTER package_sources EXCLUDE REGEX "hardware/(boards|lint)\\.cpp$|runtime/device_runtime\\.cpp$")
foreach(source runtime/device_runtime support/base/error support/base/quantities support/files support/write_file hardware/hardware)
  list(APPEND package_sources ${CMAKE_SOURCE_DIR}/engine/${source}.cpp)
endforeach()
tw_groups(groups grouped tw_vta_package 8 ${package_sources})
list(REMOVE_ITEM package_sources ${grouped})
list(APPEND package_sources ${groups})
set(library libtilewright_vta.so.1)
# A board has no libfmt: what is needed of it is compiled in.
set(package_options -fvisibility=hidden -ffunction-sections -fdata-sections -DFMT_HEADER_ONLY)

add_library(tw_vta_package SHARED ${package_sources})
set_target_properties(tw_vta_package PROPERTIES OUTPUT_NAME tilewright_vta SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/tilewright/vta/${CMAKE_SYSTEM_PROCESSOR})
target_compile_options(tw_vta_package PRIVATE ${TW_WARNINGS} -Wno-subobject-linkage ${package_options})
tw_optimize(tw_vta_package)
target_include_directories(tw_vta_package PRIVATE ${CMAKE_SOURCE_DIR})
target_link_options(tw_vta_package PRIVATE -Wl,--gc-sections -Wl,-s)
target_link_libraries(tw_vta_package PRIVATE Threads::Threads dl)
add_dependencies(tw_kit tw_vta_package)

foreach(architecture aarch64 armv7)
  string(TOUPPER ${architecture} upper)
  set(compiler ${TW_${upper}_COMPILER})
  if(NOT compiler OR CMAKE_SYSTEM_PROCESSOR STREQUAL architecture)
    continue()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${architecture})
  set(objects "")
  foreach(source ${package_sources})
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" name ${source})
    string(REPLACE "${CMAKE_BINARY_DIR}/generated/" "" name ${name})
    string(REPLACE "/" "_" name ${name})
    add_custom_command(OUTPUT ${folder}/${name}.o DEPENDS ${source} DEPFILE ${folder}/${name}.d
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${TW_LAUNCHER} ${compiler} -std=c++23 -O2 -fPIC -fno-gnu-unique -Wno-psabi -Wno-subobject-linkage ${package_options} -I${CMAKE_SOURCE_DIR}
              -MD -MF ${folder}/${name}.d -c ${source} -o ${folder}/${name}.o
      VERBATIM)
    list(APPEND objects ${folder}/${name}.o)
  endforeach()
  set(built ${CMAKE_BINARY_DIR}/lib/tilewright/vta/${architecture})
  add_custom_command(OUTPUT ${built}/${library} DEPENDS ${objects}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${built}
    COMMAND ${compiler} -shared -Wl,--gc-sections -Wl,-soname,${library} -s ${objects} -o ${built}/${library} -pthread -ldl
    VERBATIM)
  add_custom_target(tw_vta_package_${architecture} ALL DEPENDS ${built}/${library})
  add_dependencies(tw_all_kits tw_vta_package_${architecture})
endforeach()
