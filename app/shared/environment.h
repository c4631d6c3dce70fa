/// What both programs are built with: the backends, the devices, the folders.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "app/shared/private_folder.h"
#include "engine/device/device.h"
#include "engine/session/cases/export_cases.h"
#include "engine/support/base/error.h"

namespace tw {

class Backend;

struct Environment {
  std::shared_ptr<Backend const> backend;  ///< for the hardware of the chosen device
  std::filesystem::path device_program;    ///< tw-device, beside the running program
  /// TW_CACHE_DIR, or XDG's cache folder; another one where others may write there.
  std::filesystem::path cache_folder;
  std::filesystem::path devices_file;  ///< in TW_CONFIG_DIR, or XDG's configuration folder
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  session::ExportKit exports;
  std::string warning;  ///< what a person should know, a sentence; empty: nothing
};
/// `device`: one of the list, which is asked what it is; empty or "local": this machine,
/// "local:cpu" as that target; "cuda:h100" is none, but described. Errors: unknown_device,
/// unknown_target, another_machine, those of asking it.
Result<Environment> make_environment(std::string const& device = "");

/// TW_CACHE_DIR, else the folder that was chosen, else XDG's; where others may write there, another
/// one.
PrivateFolder cache_folder();
/// Empty: none was.
std::string chosen_cache_folder();
/// From the next start on; empty: the usual one again. A folder that holds other things gets one
/// of its own inside. The folder as it will be used. Errors: unusable_cache_folder,
/// file_unwritable.
Result<std::string> choose_cache_folder(std::string const& folder);

/// Where a user's own macros are: "macros" in TW_CONFIG_DIR, or XDG's configuration folder.
std::filesystem::path macro_folder();

/// Where trials of tuning are kept: in TW_DATA_DIR, or XDG's folder of data.
std::filesystem::path trial_store_file();

/// The path of tw-codegen, which generates code: beside the running program, or, for programs of
/// the build's other folders, in its folder of programs.
std::string code_generator_program();

}  // namespace tw
