/// A small exported network, for tests of what programs do with one.
#pragma once

#include <QtTest>
#include <fstream>

#include "app/shared/environment.h"
#include "engine/device/local_device.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "engine/session/model/loaded_model.h"
#include "tests/support/paths.h"

namespace tw::testing {

/// Of 17 x 17 pixels and five classes.
inline ImportedModel tiny_network() {
  return build_resnet({.name = "tiny", .blocks = {1}, .width = 4, .image = 17, .classes = 5});
}

/// Writes `foreign` as a file in `work` and exports it into `folder`.
inline void export_model_to(ImportedModel const& foreign, std::filesystem::path const& work,
                            std::filesystem::path const& folder) {
  std::filesystem::path file = work / (folder.filename().string() + ".onnx");
  std::ofstream(file, std::ios::binary) << write_onnx(foreign).value();
  Environment environment = make_environment().value();
  LocalDevice device({.program = testing::built("/bin/tw-device")});
  auto model = session::load_model(file.string(), {}, *environment.backend).value();
  session::ExportRequest request{.folder = folder, .threads = 1};
  auto view =
      session::export_to_folder(*model, request, environment.exports, *environment.backend, device);
  if (!view) qFatal("%s", to_sentence(view.error()).c_str());
}

}  // namespace tw::testing
