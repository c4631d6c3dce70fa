// Makes a folder with all that a machine with a GPU needs to check and time our kernels.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "engine/samples/model_builder.h"
#include "engine/samples/samples.h"
#include "engine/support/files.h"
#include "tests/benchmarks/gpu/pack/items.h"
#include "tests/benchmarks/gpu/pack/writer.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;

namespace tw::gpu_bench {
namespace {

struct Options {
  fs::path folder, runner;
  bool small = false, stand_in = false;
  std::vector<std::string> checks;  ///< empty: all
};

Result<PackedKernel> packed(std::string const& name, std::string const& text,
                            std::string const& file) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text, file));
  kernel.name = name;  // functions are called after it
  return PackedKernel{name, std::move(kernel), {}};
}

bool is_wanted(Options const& options, std::string const& name) {
  return options.checks.empty() || std::ranges::find(options.checks, name) != options.checks.end();
}

/// The kernels of the GPU test set.
Status add_checks(PackWriter& writer, Options const& options) {
  std::vector<fs::path> files;
  for (char const* folder : {"/tests/opencl/kernels", "/tests/cuda/kernels"})
    for (auto const& entry : fs::directory_iterator(testing::source(folder)))
      if (entry.path().extension() == ".te" && is_wanted(options, entry.path().stem()))
        files.push_back(entry.path());
  std::ranges::sort(files);
  for (fs::path file : files) {
    TRY_ASSIGN(std::string text, read_text(file));
    TRY_ASSIGN(PackedKernel kernel, packed("check_" + file.stem().string(), text, file));
    if (fs::path script = file.replace_extension(".tws"); fs::exists(script)) {
      TRY_ASSIGN(kernel.script, read_text(script));
    }
    TRY(writer.add_check(kernel));
  }
  return {};
}

Status add_times(PackWriter& writer, Options const& options) {
  for (TimedItem& item : timed_items(options.small ? Sizes::kSmall : Sizes::kFull)) {
    TRY_ASSIGN(PackedKernel kernel, packed(item.name, "tilewright te 1\n" + item.text, item.name));
    if (Status added = writer.add_timed(kernel, std::move(item.peer)); !added)
      return refused(added.error().code, item.name + ": " + added.error().message);
  }
  return {};
}

/// A convolution of 3x3 with relu by transformed tiles, to be timed beside the same one directly.
Status add_transformed(PackWriter& writer, std::string const& name, Shape const& image) {
  for (std::string const edge : {"2x2", "4x4"}) {
    ModelBuilder model(name, 1, "input", image);
    model.relu("relu", model.conv("conv", "input", image[1], image[1], {3, 1, 1}));
    TRY(writer.add_network(name + "_winograd_" + edge, model.finish(image),
                           {{"conv.algorithm", "winograd_" + edge}}));
  }
  return {};
}

Status add_networks(PackWriter& writer, Options const& options) {
  if (options.small) {
    TRY(add_transformed(writer, "C2", {2, 5, 9, 7}));
    return writer.add_network(
        "small_resnet",
        build_resnet({.blocks = {1, 1}, .width = 4, .image = 32, .classes = 10, .seed = 3}));
  }
  TRY(add_transformed(writer, "C6_batch16", {16, 128, 28, 28}));
  for (char const* name : {"resnet18", "mobilenet", "dqn", "dcgan"}) {
    TRY_ASSIGN(ImportedModel model, build_sample(name));
    TRY(writer.add_network(name, model));
  }
  return {};
}

Status copy_programs(Options const& options) {
  std::error_code code;
  std::string from = testing::source("/tests/benchmarks/gpu/");
  for (char const* name : {"run.sh", "torch_peer.py", "probes.ptx"})
    if (!code)
      fs::copy_file(from + name, options.folder / name, fs::copy_options::overwrite_existing, code);
  if (!code)
    fs::copy_file(options.runner, options.folder / "run-gpu", fs::copy_options::overwrite_existing,
                  code);
  if (code) return environment_failed("file_unwritable", "the pack: " + code.message());
  return {};
}

int64_t bytes_below(fs::path const& folder) {
  int64_t bytes = 0;
  for (auto const& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += int64_t(entry.file_size());
  return bytes;
}

Status pack(Options const& options) {
  auto start = std::chrono::steady_clock::now();
  TRY_ASSIGN(PackWriter writer, PackWriter::create(options.folder));
  writer.for_stand_in = options.stand_in;
  TRY(add_checks(writer, options));
  TRY(add_times(writer, options));
  TRY(add_networks(writer, options));
  writer.add_patterns();
  TRY(writer.finish());
  TRY(copy_programs(options));
  int64_t bytes = bytes_below(options.folder);
  fmt::print("{}: {} kernels, {:.1f} MB, made in {:.0f} s{}\n", options.folder.string(),
             writer.list()["items"].size(), double(bytes) * 1e-6,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
             writer.list()["cubins"] ? "" : "; without ptxas the driver compiles all of them");
  constexpr int64_t kMost = 60'000'000;
  if (bytes > kMost)
    return refused("file_too_large", fmt::format("the pack has more than {} bytes", kMost));
  return {};
}

}  // namespace
}  // namespace tw::gpu_bench

int main(int argc, char** argv) {
  CLI::App app("Packs kernels for a machine with a GPU");
  tw::gpu_bench::Options options;
  app.add_option("folder", options.folder, "where to")->required();
  app.add_option("--runner", options.runner, "the program that runs there")->required();
  app.add_option("--check", options.checks, "only these kernels of the test set");
  app.add_flag("--small", options.small, "small shapes, to test the way");
  app.add_flag("--stand-in", options.stand_in, "with code of this processor for the stand-in");
  CLI11_PARSE(app, argc, argv);
  auto done = tw::gpu_bench::pack(options);
  if (done) return 0;
  fmt::print(stderr, "{}\n", tw::to_sentence(done.error()));
  return 1;
}
