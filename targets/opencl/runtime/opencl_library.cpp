#include "targets/opencl/runtime/opencl_library.h"

#include "engine/runtime/library_parts.h"
#include "targets/shared/launch_record/library_names.h"
#include "targets/shared/launch_record/resolve.h"

namespace tw::opencl {
namespace {

std::string_view text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::unexpected<Error> not_loadable(std::string const& why) {
  return bad_input("module_not_loadable", why);
}

/// The first line of the driver's words that speaks of an error, or the first of all.
std::string build_log(Functions const& cl, cl_program program, cl_device_id device) {
  size_t size = 0;
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  size_t at = log.find("error");
  size_t begin = at == std::string::npos ? 0 : log.rfind('\n', at) + 1;
  return log.substr(begin, log.find_first_of(std::string("\n\0", 2), begin) - begin).substr(0, 300);
}

Result<Program> built(Functions const& cl, cl_context context, cl_device_id device,
                      std::string_view source) {
  char const* text = source.data();
  size_t size = source.size();
  cl_int code = CL_SUCCESS;
  Program program(cl.clCreateProgramWithSource(context, 1, &text, &size, &code), {&cl});
  if (code != CL_SUCCESS) return not_loadable("the driver takes no source: " + name_of(code));
  code = cl.clBuildProgram(program.get(), 1, &device, "-cl-std=CL1.2", nullptr, nullptr);
  if (code != CL_SUCCESS)
    return not_loadable("the driver could not build the kernels (" + name_of(code) +
                        "): " + build_log(cl, program.get(), device));
  return program;
}

/// How many threads a work-group may have depends on the function's registers, too: the driver
/// knows once it has compiled it.
Status check_threads(Functions const& cl, cl_device_id device, cl_kernel function,
                     launch_record::Launch const& launch) {
  size_t most = 0;
  if (cl.clGetKernelWorkGroupInfo(function, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                  nullptr) != CL_SUCCESS)
    return {};
  auto extents = launch_record::extents_of(launch, {});
  if (!extents) return {};  // of sizes that are not known yet
  auto const& block = extents->block;
  int64_t threads = 1;
  for (int64_t one : block) threads = one > int64_t(most) ? int64_t(most) + 1 : threads * one;
  if (threads <= int64_t(most)) return {};
  return not_loadable("'" + launch.function.substr(0, 80) + "' has work-groups of " +
                      std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
                      std::to_string(block[2]) + " threads, and the device runs at most " +
                      std::to_string(most) + " of it");
}

Result<LoadedKernel> loaded(Functions const& cl, cl_program program, cl_device_id device,
                            launch_record::KernelRecord record) {
  LoadedKernel kernel{std::move(record), {}, {}};
  for (launch_record::Launch const& launch : kernel.record.launches) {
    Kernel& function = kernel.functions[launch.function];
    if (!function) {
      cl_int code = CL_SUCCESS;
      function = Kernel(cl.clCreateKernel(program, launch.function.c_str(), &code), {&cl});
      if (code != CL_SUCCESS)
        return not_loadable("the library has no device function '" + launch.function.substr(0, 80) +
                            "'");
      TRY(check_threads(cl, device, function.get(), launch));
    }
    kernel.launched.push_back(function.get());
  }
  return kernel;
}

}  // namespace

Result<LibraryTexts> parts_of(std::span<std::byte const> library) {
  TRY_ASSIGN(std::vector<LibraryPart> parts, split_parts(library));
  TRY_ASSIGN(std::span<std::byte const> records, find_part(parts, launch_record::kLaunchesPart));
  TRY_ASSIGN(std::span<std::byte const> source, find_part(parts, launch_record::kSourcePart));
  TRY_ASSIGN(auto list, launch_record::parse_records(text_of(records)));
  return LibraryTexts{std::move(list), text_of(source)};
}

Result<std::unique_ptr<OpenClLibrary>> OpenClLibrary::load(Functions const& cl, cl_context context,
                                                           cl_device_id device,
                                                           std::span<std::byte const> library) {
  TRY_ASSIGN(LibraryTexts texts, parts_of(library));
  auto made = std::make_unique<OpenClLibrary>();
  TRY_ASSIGN(made->program_, built(cl, context, device, texts.source));
  for (launch_record::KernelRecord& record : texts.records) {
    std::string symbol = record.symbol;
    TRY_ASSIGN(LoadedKernel kernel, loaded(cl, made->program_.get(), device, std::move(record)));
    made->kernels_.insert_or_assign(std::move(symbol), std::move(kernel));
  }
  return made;
}

Result<void*> OpenClLibrary::find(std::string const& symbol) {
  auto found = kernels_.find(symbol);
  if (found == kernels_.end())
    return bad_input("symbol_not_found",
                     "the library has no kernel '" + symbol.substr(0, 80) + "'");
  return static_cast<void*>(&found->second);
}

}  // namespace tw::opencl
