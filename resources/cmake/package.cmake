# What `cmake --install` copies, and the Debian package made of it (`./x package`).
include(GNUInstallDirs)

install(TARGETS tilewright tw tw_device_server tw_device_rpc_server tw_code_generator RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES resources/desktop/tilewright.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES resources/desktop/tilewright.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES resources/desktop/tilewright.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES resources/desktop/tilewright.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/128x128/apps)
# The kit of exports, for this machine's architecture: stripping and dpkg-shlibdeps know no other.
set(other_architectures aarch64 x86_64 armv7)
string(REPLACE armv7l armv7 this_architecture ${CMAKE_SYSTEM_PROCESSOR})
list(REMOVE_ITEM other_architectures ${this_architecture})
list(JOIN other_architectures | other_architectures)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/tilewright/ DESTINATION lib/tilewright USE_SOURCE_PERMISSIONS
  REGEX "/(${other_architectures})$" EXCLUDE)
# Manual pages and completion, written by the program itself; an instrumented one is not given away.
if(NOT TW_SANITIZE)
  set(cli_files ${CMAKE_BINARY_DIR}/cli)
  set(writes ${CMAKE_COMMAND} -E env TW_CACHE_DIR=${cli_files}/cache $<TARGET_FILE:tw>)
  add_custom_command(OUTPUT ${cli_files}/man/tw.1 DEPENDS tw
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${cli_files}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${cli_files}
    COMMAND ${writes} manual --out ${cli_files}/man
    COMMAND ${writes} completion bash --out ${cli_files}/tw
    COMMAND ${writes} completion zsh --out ${cli_files}/_tw
    COMMAND ${writes} completion fish --out ${cli_files}/tw.fish VERBATIM)
  add_custom_target(tw_cli_files ALL DEPENDS ${cli_files}/man/tw.1)
  install(DIRECTORY ${cli_files}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${cli_files}/tw DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${cli_files}/_tw DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${cli_files}/tw.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES resources/docs/first_session.tws DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES resources/fleet/slurm.sbatch resources/fleet/kubernetes.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_CONTACT "The Tilewright authors <tilewright@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Workbench for the schedules of deep-learning kernels")
set(CPACK_PACKAGE_DESCRIPTION "Opens a model, shows its graph and kernels, and lets their loops be shaped by
hand: every step is checked, compiled, measured and compared with a reference.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries with their versions, from the programs
set(runtimes "")
foreach(folder ${TW_TARGET_FOLDERS})
  get_filename_component(target ${folder} NAME)
  list(APPEND runtimes ${CMAKE_BINARY_DIR}/lib/tilewright/${target}/${CMAKE_SYSTEM_PROCESSOR})
endforeach()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${runtimes})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-inter, fonts-jetbrains-mono")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland")
include(CPack)
