#include "engine/package/export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "engine/compile/code_version.h"
#include "engine/package/texts.h"
#include "engine/runtime/package/checksum.h"
#include "engine/support/files.h"
#include "engine/tensor/bytes.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

/// Written beside the folder and renamed at the end; removed when it goes away before.
class Draft {
public:
  static Result<Draft> create(fs::path const& folder) {
    fs::path path = folder;
    path += fmt::format(".{}.part", ::getpid());
    std::error_code error;
    fs::remove_all(path, error);
    fs::create_directories(path / "test", error);
    if (error)
      return environment_failed("file_unwritable",
                                fmt::format("cannot be made: {}", error.message()),
                                Place{path.string(), 0, 0, {}});
    return Draft(path);
  }
  Draft(Draft&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Draft& operator=(Draft&&) = delete;
  ~Draft() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path const& path() const { return path_; }

  /// Takes the place of `folder`.
  Status publish(fs::path const& folder) {
    std::error_code error, ignored;
    fs::path old = path_;
    old += ".old";
    bool replaces = fs::exists(folder, ignored);
    if (replaces) fs::rename(folder, old, error);
    if (!error) fs::rename(path_, folder, error);
    if (error) {
      if (replaces && !fs::exists(folder, ignored)) fs::rename(old, folder, ignored);
      return environment_failed("file_unwritable",
                                fmt::format("cannot be written: {}", error.message()),
                                Place{folder.string(), 0, 0, {}});
    }
    path_.clear();
    fs::remove_all(old, ignored);
    return {};
  }

private:
  explicit Draft(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Status check_folder(fs::path const& folder) {
  std::error_code ignored;
  if (folder.empty()) return bad_input("folder_in_use", "no folder was named");
  if (!fs::exists(folder, ignored)) return {};
  bool ours = fs::is_directory(folder, ignored) &&
              (fs::is_empty(folder, ignored) || fs::exists(folder / "model.json", ignored));
  if (ours) return {};
  return bad_input("folder_in_use",
                   "exists and is no exported model; choose a new folder, or an empty one",
                   Place{folder.string(), 0, 0, {}});
}

Status copy_into(fs::path const& from, fs::path const& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (!error) return {};
  return environment_failed(
      "file_unwritable",
      fmt::format("cannot be copied from {}: {}", from.string(), error.message()),
      Place{to.string(), 0, 0, {}});
}

std::string_view view_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

Result<package::File> write_parameters(fs::path const& path, Assembly const& assembly) {
  package::File file{path.filename().string(), assembly.parameter_bytes, 0};
  std::ofstream stream(path, std::ios::binary);
  Checksum checksum;
  int64_t at = 0;
  auto put = [&](std::span<std::byte const> bytes) {
    checksum.add(bytes);
    stream.write(view_of(bytes).data(), std::streamsize(bytes.size()));
    at += int64_t(bytes.size());
  };
  auto fill_to = [&](int64_t offset) { put(std::vector<std::byte>(size_t(offset - at))); };
  for (PlacedParameter const& one : assembly.parameters) {
    fill_to(one.offset);
    put(bytes_of(one.content));
  }
  fill_to(assembly.parameter_bytes);
  stream.close();
  if (!stream)
    return environment_failed("file_unwritable", "cannot be written: the disk may be full",
                              Place{path.string(), 0, 0, {}});
  file.checksum = checksum.finish();
  return file;
}

Result<package::File> write_library(fs::path const& path, std::vector<KernelCode> const& codes,
                                    Backend const& backend) {
  std::vector<std::vector<std::byte>> objects;
  for (KernelCode const& code : codes) objects.push_back(code.run.object);
  TRY_ASSIGN(std::vector<std::byte> library, backend.link(objects));
  TRY(write_file(path, view_of(library)));
  return package::File{path.filename().string(), int64_t(library.size()), checksum_of(library)};
}

Status write_tensors(fs::path const& folder, char const* kind, std::vector<NDArray> const& arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    TRY(write_file(folder / fmt::format("{}_{}.bin", kind, i), view_of(bytes_of(arrays[i]))));
  return {};
}

/// The runtime library and the example for the target, header and sources.
Status copy_kit(fs::path const& kit, fs::path const& to, package::Target const& target,
                package::Description const& description) {
  fs::path built = kit / target.architecture;
  std::error_code ignored;
  if (!fs::exists(built / "libtilewright_runtime.so", ignored))
    return environment_failed("no_runtime",
                              fmt::format("there is no runtime library for {}: it is built where a "
                                          "compiler for {} is installed",
                                          target.architecture, target.architecture),
                              Place{built.string(), 0, 0, {}});
  for (char const* name : {"libtilewright_runtime.so", "example"})
    TRY(copy_into(built / name, to / name));
  TRY(copy_into(kit / "tilewright.h", to / "tilewright.h"));
  for (char const* name : {"example.cpp", "example.py"}) {
    TRY_ASSIGN(std::string source, read_file(kit / name));
    TRY(write_file(to / name, about_model(description, name) + source));
  }
  return {};
}

Status check_expected(package::Description const& description, ExportOptions const& options) {
  auto fits = [](std::vector<package::Tensor> const& tensors, std::vector<NDArray> const& arrays) {
    bool good = tensors.size() == arrays.size();
    for (size_t i = 0; good && i < arrays.size(); ++i)
      good = arrays[i].type() == tensors[i].type && arrays[i].byte_size() == tensors[i].bytes;
    return good;
  };
  if (fits(description.inputs, options.inputs) && fits(description.outputs, options.expected))
    return {};
  return bad_input("wrong_input", "the stored inputs and outputs do not fit the model");
}

void report(ExportOptions const& options, char const* what, int64_t done, int64_t total) {
  if (options.progress) options.progress({what, done, total});
}

Result<Assembly> write_package(PackageSource const& source, ExportOptions const& options,
                               fs::path const& to) {
  CompileOptions compile{.scripts = source.scripts,
                         .tier = options.tier,
                         .cache = options.cache,
                         .stop = options.call.stop,
                         .progress = options.progress};
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_plan(source.plan, source.backend, compile));
  report(options, "writing parameters", 0, 0);
  TRY_ASSIGN(Assembly assembly, assemble(source, codes, options.call));
  package::Description& description = assembly.description;
  description.name = options.name;
  description.made_by = fmt::format("Tilewright {}", kProductVersion);
  description.target = target_of(source.backend);
  TRY(check_expected(description, options));
  TRY_ASSIGN(description.parameters, write_parameters(to / "parameters.bin", assembly));
  TRY_ASSIGN(description.library, write_library(to / "kernels.so", codes, source.backend));
  TRY(write_file(to / "model.json", package::to_text(description)));
  TRY(write_tensors(to / "test", "input", options.inputs));
  TRY(write_tensors(to / "test", "output", options.expected));
  TRY(copy_kit(options.kit, to, description.target, description));
  return assembly;
}

}  // namespace

package::Target target_of(Backend const& backend) {
  Hardware const& hardware = backend.target().hardware;
  package::Target target{backend.target().name,
                         hardware.triple.substr(0, hardware.triple.find('-')),
                         hardware.cpu,
                         {}};
  std::istringstream words(hardware.features);
  for (std::string word; std::getline(words, word, ',');)
    if (word.starts_with('+')) target.features.push_back(word.substr(1));
  return target;
}

Result<ExportResult> export_model(PackageSource const& source, ExportOptions const& options) {
  TRY(check_folder(options.folder));
  TRY(check_exportable(source.graph, source.plan));
  fs::path folder = fs::absolute(options.folder).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  TRY_ASSIGN(Draft draft, Draft::create(folder));
  TRY_ASSIGN(Assembly assembly, write_package(source, options, draft.path()));
  report(options, "running the exported model", 0, 0);
  ExportResult result{folder,
                      int(source.plan.kernels.size()),
                      assembly.description.library.bytes,
                      assembly.parameter_bytes,
                      int64_t(fs::file_size(draft.path() / "libtilewright_runtime.so")),
                      {}};
  SelfTestOptions test{.threads = options.threads, .stop = options.call.stop};
  TRY_ASSIGN(result.test, run_self_test(draft.path(), assembly.description.target, test));
  TRY(write_file(draft.path() / "README.txt",
                 readme(assembly.description, result.test, options.origin, options.note)));
  TRY(draft.publish(folder));
  return result;
}

}  // namespace tw
