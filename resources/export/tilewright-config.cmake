# For CMake: find_package(tilewright CONFIG REQUIRED PATHS THE_EXPORTED_FOLDER) gives the library as
# tilewright::runtime, and the folder that tw_load takes in tilewright_MODEL_FOLDER.
get_filename_component(tilewright_MODEL_FOLDER "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT TARGET tilewright::runtime)
  add_library(tilewright::runtime SHARED IMPORTED)
  set_target_properties(tilewright::runtime PROPERTIES
    IMPORTED_LOCATION "${tilewright_MODEL_FOLDER}/libtilewright_runtime.so.1"
    IMPORTED_SONAME libtilewright_runtime.so.1
    INTERFACE_INCLUDE_DIRECTORIES "${tilewright_MODEL_FOLDER}")
endif()
