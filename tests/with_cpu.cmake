# Tests that run kernels on this machine's processor.
add_library(tw_test_kernels STATIC device/test_kernels.cpp)
target_link_libraries(tw_test_kernels PUBLIC tw_cpu_compiler)
# A library of kernels as an enemy would write it.
file(GLOB hostile_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/device/hostile/*.c)
add_library(tw_hostile MODULE ${hostile_sources})
set_target_properties(tw_hostile PROPERTIES C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_compile_definitions(tw_hostile PRIVATE _GNU_SOURCE)
target_compile_options(tw_hostile PRIVATE -std=gnu11 -O1 -Wall -Wextra -Wno-unused-result)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/device/hostile_test.cpp
  PROPERTIES COMPILE_DEFINITIONS TW_HOSTILE_LIBRARY="$<TARGET_FILE:tw_hostile>")

tw_test_headers(tw_network_test_headers tw_support Qt6::Network)
tw_test_folder(device LINKS tw_app_shared tw_targets tw_device_sandbox tw_test_kernels Qt6::Network HEADERS tw_network_test_headers
  NEEDS tw_device_server tw tw_hostile tw_all_kits SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/instructions/workloads.cpp)
tw_test_folder(llvm LINKS tw_test_kernels NEEDS tw_code_generator)
tw_test_folder(link LINKS tw_test_kernels)
tw_test_folder(runtime LINKS tw_runtime tw_test_kernels)
tw_test_folder(measure LINKS tw_measure tw_cpu_compiler NEEDS tw_device_server)
tw_test_folder(tuner LINKS tw_tuner tw_cpu_compiler NEEDS tw_device_server)
tw_test_folder(moves LINKS tw_moves tw_cpu_compiler tw_te)
tw_test_folder(session LINKS tw_app_shared tw_targets NEEDS tw_device_server)
tw_test_folder(cpu LINKS tw_cpu_compiler tw_runtime tw_te tw_importers tw_samples SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/instructions/workloads.cpp)
tw_test_folder(cli LINKS tw_base NEEDS tw tw_device_server)
tw_test_folder(package LINKS tw_app_shared tw_targets tw_cpu_runtime NEEDS tw tw_device_server tw_all_kits)
tw_test_folder(gui LINKS tw_window tw_targets HEADERS tw_window_test_headers NEEDS tilewright tw tw_device_server tw_all_kits)
# Every conformance test goes through what `tw verify` does, compiler and device included.
tw_test_folder(compile LINKS tw_app_shared tw_targets NEEDS tw_device_server)
tw_test_folder(docs LINKS tw_app_shared tw_targets)
foreach(test device/aarch64_slow_test device/armv7_slow_test session/kernel_roofs_slow_test session/every_kernel_tuned_slow_test
    session/right_kernels_slow_test gui/three_devices_slow_test cli/tune_kinds_slow_test)
  set_tests_properties(${test} PROPERTIES TIMEOUT 1800)
endforeach()

if(NOT TW_SANITIZE)  # a package of instrumented programs is of no use
  add_test(NAME package/installed_slow_test COMMAND ${CMAKE_SOURCE_DIR}/tests/package/installed_test ${CMAKE_BINARY_DIR})
  set_tests_properties(package/installed_slow_test PROPERTIES LABELS slow SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
add_subdirectory(benchmarks)
# What is freed is overwritten: a read of a program that steps have replaced is a crash, not luck.
foreach(test tuner/search_test session/every_kernel_tuned_slow_test)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "GLIBC_TUNABLES=glibc.malloc.perturb=85:glibc.malloc.tcache_count=0")
endforeach()
