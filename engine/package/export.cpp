#include "engine/package/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/compile/code_version.h"
#include "engine/package/export_folder.h"
#include "engine/package/texts.h"
#include "engine/runtime/package/accelerator.h"
#include "engine/runtime/package/checksum.h"
#include "engine/support/files.h"
#include "engine/tensor/bytes.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr char kRuntimeLibrary[] = "libtilewright_runtime.so.1";

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
  int reason = 0;  // why the first write that failed did
  auto note = [&] { reason = !stream && reason == 0 ? errno : reason; };
  auto put = [&](std::span<std::byte const> bytes) {
    checksum.add(bytes);
    stream.write(view_of(bytes).data(), std::streamsize(bytes.size()));
    note();
    at += int64_t(bytes.size());
  };
  auto fill_to = [&](int64_t offset) { put(std::vector<std::byte>(size_t(offset - at))); };
  for (PlacedParameter const& one : assembly.parameters) {
    fill_to(one.offset);
    put(bytes_of(one.content));
  }
  fill_to(assembly.parameter_bytes);
  stream.close();
  note();
  if (!stream)
    return environment_failed("file_unwritable",
                              std::string("cannot be written: ") + std::strerror(reason),
                              Place{path.string(), 0, 0, {}});
  file.checksum = checksum.finish();
  return file;
}

/// Of the kernels that run at one place of the plan.
Result<package::File> write_library(fs::path const& path, PackageSource const& source,
                                    std::vector<KernelCode> const& codes, int place) {
  std::vector<CodeParts> kernels;
  for (size_t k = 0; k < codes.size(); ++k)
    if (source.plan.kernels[k].place == place) kernels.push_back(codes[k].run.parts);
  // Where an accelerator runs everything the processor has nothing to run.
  std::vector<std::byte> library;
  if (!kernels.empty()) {
    TRY_ASSIGN(library, source.backend_at(place).link(kernels));
  }
  TRY(write_file(path, view_of(library)));
  return package::File{path.filename().string(), int64_t(library.size()), checksum_of(library)};
}

Status write_tensors(fs::path const& folder, char const* kind, std::vector<NDArray> const& arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    TRY(write_file(folder / fmt::format("{}_{}.bin", kind, i), view_of(bytes_of(arrays[i]))));
  return {};
}

/// A link to the library under the name that linkers look for; a copy where there are no links.
Status name_library(fs::path const& to) {
  std::error_code error;
  fs::create_symlink(kRuntimeLibrary, to / "libtilewright_runtime.so", error);
  return error ? copy_into(to / kRuntimeLibrary, to / "libtilewright_runtime.so") : Status();
}

/// Where the runtime library and the example for a target lie: those of two targets for machines of
/// one architecture differ. Errors: no_runtime.
Result<fs::path> built_kit(fs::path const& kit, package::Target const& target) {
  fs::path built = kit / target.name / target.architecture;
  std::error_code ignored;
  if (fs::exists(built / kRuntimeLibrary, ignored)) return built;
  std::string why = fmt::format("there is no runtime library for the target '{}'", target.name);
  if (fs::exists(kit / target.name, ignored))
    why = fmt::format(
        "there is no runtime library for {0}: install a cross compiler for {0} (Debian: "
        "g++-aarch64-linux-gnu, g++-arm-linux-gnueabihf) and run ./x build",
        target.architecture);
  return environment_failed("no_runtime", why, Place{built.string(), 0, 0, {}});
}

/// What runs the steps at other places: a library of each of their targets, for the processor of
/// the first place. Errors: no_runtime.
Status copy_accelerators(fs::path const& kit, fs::path const& to,
                         package::Description const& description) {
  for (package::Site const& site : description.elsewhere) {
    std::string library = package::accelerator_library(site.target.name);
    fs::path built = kit / site.target.name / description.target.architecture / library;
    std::error_code ignored;
    if (!fs::exists(built, ignored))
      return environment_failed(
          "no_runtime",
          fmt::format("there is no library of the target '{}' for {}: this build was made without",
                      site.target.name, description.target.architecture),
          Place{built.string(), 0, 0, {}});
    TRY(copy_into(built, to / library));
  }
  return {};
}

/// The runtime library and the example for the target, header and sources, and what build systems
/// find them by.
Status copy_kit(fs::path const& kit, fs::path const& built, fs::path const& to,
                package::Description const& description) {
  for (char const* name : {kRuntimeLibrary, "example"}) TRY(copy_into(built / name, to / name));
  TRY(name_library(to));
  TRY(copy_into(kit / "tilewright.h", to / "tilewright.h"));
  for (char const* name : {"tilewright-config.cmake", "tilewright-config-version.cmake"})
    TRY(copy_into(kit / name, to / "cmake" / name));
  TRY(copy_into(kit / "tilewright.pc", to / "pkgconfig" / "tilewright.pc"));
  TRY(copy_accelerators(kit, to, description));
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
  return bad_input("wrong_input", "the stored inputs and outputs do not match the model");
}

void report(ExportOptions const& options, char const* what, int64_t done, int64_t total) {
  if (options.progress) options.progress({what, done, total});
}

/// One for each place: "kernels.so", "kernels_1.bin", ...
Status write_libraries(PackageSource const& source, std::vector<KernelCode> const& codes,
                       fs::path const& to, package::Description& description) {
  for (int place = 0; place < int(source.plan.places()); ++place) {
    package::Site& site = place == 0 ? description : description.elsewhere[size_t(place - 1)];
    Backend const& backend = source.backend_at(place);
    std::string number = place == 0 ? "" : fmt::format("_{}", place);
    std::string name = fmt::format("kernels{}.{}", number, backend.library_ending());
    site.target = target_of(backend);
    // Where nothing runs, every processor of the architecture will do.
    bool runs = std::ranges::any_of(source.plan.kernels,
                                    [&](KernelTask const& one) { return one.place == place; });
    if (!runs) site.target.features.clear(), site.target.processor.clear();
    TRY_ASSIGN(site.library, write_library(to / name, source, codes, place));
  }
  return {};
}

Result<Assembly> write_package(PackageSource const& source, ExportOptions const& options,
                               fs::path const& to) {
  TRY_ASSIGN(fs::path kit, built_kit(options.kit, target_of(source.backend)));
  CompileOptions compile{.scripts = source.scripts,
                         .tier = options.tier,
                         .cache = options.cache,
                         .stop = options.call.stop,
                         .progress = options.progress};
  std::vector<Backend const*> backends = {&source.backend};
  backends.insert(backends.end(), source.elsewhere.begin(), source.elsewhere.end());
  TRY_ASSIGN(std::vector<KernelCode> codes, compile_plan(source.plan, backends, compile));
  if (options.call.stop.stop_requested()) return refused("cancelled", "cancelled");
  report(options, "writing parameters", 0, 0);
  TRY_ASSIGN(Assembly assembly, assemble(source, codes, options.call));
  package::Description& description = assembly.description;
  description.name = options.name;
  description.made_by = fmt::format("Tilewright {}", kProductVersion);
  TRY(write_libraries(source, codes, to, description));
  TRY(check_expected(description, options));
  TRY_ASSIGN(description.parameters, write_parameters(to / "parameters.bin", assembly));
  TRY(write_file(to / "model.json", package::to_text(description)));
  TRY(write_tensors(to / "test", "input", options.inputs));
  TRY(write_tensors(to / "test", "output", options.expected));
  TRY(write_file(to / "test" / "tolerance.txt", fmt::format("{:.3g}\n", options.tolerance)));
  TRY(copy_kit(options.kit, kit, to, description));
  return assembly;
}

}  // namespace

package::Target target_of(Backend const& backend) {
  tw::Target const& target = backend.target();
  return {target.needs, target.name};
}

namespace {

Result<ExportResult> write_and_test(PackageSource const& source, ExportOptions const& options,
                                    ExportDraft& draft) {
  for (char const* name : {"test", "cmake", "pkgconfig"}) TRY(make_folder(draft.path() / name));
  TRY_ASSIGN(Assembly assembly, write_package(source, options, draft.path()));
  report(options, "running the exported model", 0, 0);
  int64_t library_bytes = assembly.description.library.bytes;
  for (package::Site const& site : assembly.description.elsewhere)
    library_bytes += site.library.bytes;
  ExportResult result{draft.folder(),
                      int(source.plan.kernels.size()),
                      library_bytes,
                      assembly.parameter_bytes,
                      int64_t(fs::file_size(draft.path() / kRuntimeLibrary)),
                      {}};
  SelfTestOptions test{
      .threads = options.threads, .device_here = options.device_here, .stop = options.call.stop};
  TRY_ASSIGN(result.test, run_self_test(draft.path(), assembly.description, test));
  TRY_ASSIGN(std::string library, read_file(draft.path() / kRuntimeLibrary));
  TRY_ASSIGN(std::string example, read_file(draft.path() / "example"));
  TRY(write_file(draft.path() / "README.txt",
                 readme(assembly.description, result.test,
                        {options.origin, options.note, needs_of(library + example)})));
  TRY(draft.publish());
  return result;
}

}  // namespace

Result<ExportResult> export_model(PackageSource const& source, ExportOptions const& options) {
  TRY(check_folder(options.folder));
  TRY(check_exportable(source.graph, source.plan));
  TRY_ASSIGN(ExportDraft draft, ExportDraft::create(options.folder));
  Result<ExportResult> result = write_and_test(source, options, draft);
  if (!result) return std::unexpected(draft.as_named(result.error()));
  return result;
}

}  // namespace tw
