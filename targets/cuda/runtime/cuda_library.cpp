#include "targets/cuda/runtime/cuda_library.h"

#include <fmt/format.h>

#include <array>

#include "engine/runtime/library_parts.h"
#include "targets/cuda/hardware/library_names.h"
#include "targets/shared/launch_record/resolve.h"

namespace tw::cuda {
namespace {

// Of CUjit_option: where the driver's compiler writes what is wrong, and how much it may.
constexpr int kErrorLog = 5, kErrorLogBytes = 6;

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::unexpected<Error> not_loadable(std::string const& why) {
  return bad_input("module_not_loadable", why);
}

Result<CuModule> compiled(Driver const& driver, std::string const& ptx) {
  std::array<char, 4096> log{};
  std::array<int, 2> options{kErrorLog, kErrorLogBytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CuModule module = nullptr;
  CuResult code = driver.cuModuleLoadDataEx(&module, ptx.c_str(), unsigned(options.size()),
                                            options.data(), values.data());
  if (code == kCuSuccess) return module;
  std::string words(log.data());
  words = words.substr(0, words.find('\n')).substr(0, 300);
  return not_loadable(fmt::format("the driver takes no such PTX ({}){}{}", driver.name_of(code),
                                  words.empty() ? "" : ": ", words));
}

}  // namespace

CudaLibrary::~CudaLibrary() {
  driver_.cuCtxSetCurrent(context_);
  for (CuModule module : modules_) driver_.cuModuleUnload(module);
}

Status CudaLibrary::add(std::string ptx, launch_record::KernelRecord record) {
  TRY_ASSIGN(CuModule module, compiled(driver_, ptx));
  modules_.push_back(module);
  LoadedKernel kernel{std::move(record), {}};
  for (launch_record::Launch const& launch : kernel.record.launches) {
    CuFunction function = nullptr;
    if (driver_.cuModuleGetFunction(&function, module, launch.function.c_str()) != kCuSuccess)
      return not_loadable(
          fmt::format("the library has no device function '{}'", launch.function.substr(0, 80)));
    if (launch.shared_bytes > 0) {
      CuResult code =
          driver_.cuFuncSetAttribute(function, kCuMostGivenShared, int(launch.shared_bytes));
      if (code != kCuSuccess)
        return not_loadable(
            fmt::format("'{}' needs {} bytes of shared memory, which the device does "
                        "not give ({})",
                        launch.function, launch.shared_bytes, driver_.name_of(code)));
    }
    kernel.functions.push_back(function);
  }
  std::string symbol = kernel.record.symbol;
  kernels_.insert_or_assign(std::move(symbol), std::move(kernel));
  return {};
}

Result<std::vector<KernelTexts>> parts_of(std::span<std::byte const> library) {
  TRY_ASSIGN(std::vector<LibraryPart> parts, split_parts(library));
  TRY_ASSIGN(std::span<std::byte const> lines, find_part(parts, kLaunchesPart));
  TRY_ASSIGN(auto records, launch_record::parse_records(text_of(lines)));
  std::vector<KernelTexts> kernels;
  for (size_t i = 0; i < records.size(); ++i) {
    TRY_ASSIGN(std::span<std::byte const> ptx, find_part(parts, ptx_part(i)));
    kernels.push_back({std::move(records[i]), text_of(ptx)});
  }
  return kernels;
}

Result<std::unique_ptr<CudaLibrary>> CudaLibrary::load(Driver const& driver, CuContext context,
                                                       std::span<std::byte const> library) {
  TRY_ASSIGN(std::vector<KernelTexts> kernels, parts_of(library));
  auto made = std::make_unique<CudaLibrary>(driver, context);
  for (KernelTexts& kernel : kernels)
    TRY(made->add(std::move(kernel.ptx), std::move(kernel.record)));
  return made;
}

Result<void*> CudaLibrary::find(std::string const& symbol) {
  auto found = kernels_.find(symbol);
  if (found == kernels_.end())
    return bad_input("symbol_not_found",
                     "the library has no kernel '" + symbol.substr(0, 80) + "'");
  return static_cast<void*>(&found->second);
}

Result<TwFunction> CudaLibrary::device_function(std::string const& name) {
  CuFunction function = nullptr;
  for (CuModule module : modules_)
    if (driver_.cuModuleGetFunction(&function, module, name.c_str()) == kCuSuccess)
      return reinterpret_cast<TwFunction>(function);
  return bad_input("symbol_not_found",
                   "the library has no device function '" + name.substr(0, 80) + "'");
}

}  // namespace tw::cuda
