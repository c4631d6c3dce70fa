#include "targets/cuda/compiler/time_listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/support/base/quantities.h"

namespace tw::cuda {
namespace {

class Writer {
public:
  explicit Writer(CodeListing& listing) : listing_(listing) {}

  void unknown(std::string const& name, std::string const& why) {
    line(fmt::format("{}: not known: {}", name, why));
  }

  void launch(std::string const& name, gpu::LaunchTime const& time, bool counted) {
    line(fmt::format("{}: {} modelled, bound by {}", name, duration_text(time.seconds),
                     gpu::bound_text(time.bound)));
    line(fmt::format("  blocks     {} of {} threads, {} of a multiprocessor at once: {}",
                     time.nest.blocks(), time.nest.threads(), time.occupancy.blocks,
                     count_text(time.waves, "wave")));
    line(fmt::format("  registers  {} of each thread{}", time.nest.registers,
                     counted ? "" : ", an estimate"));
    std::string const& matrix = time.nest.arithmetic;
    std::string whose = matrix.empty() ? "" : fmt::format(" of {} by matrix units", matrix);
    part("work", time.work, time,
         fmt::format("multiply-adds{}, on all multiprocessors at their peak", whose).c_str());
    part("others", time.others, time, "further instructions, and bytes that take longer");
    part("waits", time.waits, time, "for what no warp hides");
    part("tail", time.tail, time, "multiprocessors with fewer blocks than others");
    part("launch", time.launch, time, "until the first block begins");
    gpu::Traffic const& moved = time.traffic;
    double passes = (moved.shared_cycles + moved.l1_cycles) * double(time.nest.blocks());
    line(fmt::format("  shared     {}, with what L1 answers", bytes_text(passes * 128)));
    line(fmt::format("  L2         {}", bytes_text(moved.l2_bytes)));
    line(fmt::format("  DRAM       {}{}", bytes_text(moved.dram_bytes),
                     time.stays_in_l2 ? ", in the first run: L2 holds the kernel's data" : ""));
  }

private:
  void part(char const* name, double seconds, gpu::LaunchTime const& of, char const* what) {
    line(fmt::format("  {:<9} {:>9} {:>4.0f} %  {}", name, duration_text(seconds),
                     seconds / of.seconds * 100, what));
  }
  void line(std::string const& text) {
    listing_.text += text + "\n";
    listing_.source_line.push_back(0);
  }

  CodeListing& listing_;
};

FunctionResources const* find(Result<Assembled> const& assembled, std::string const& name) {
  if (!assembled) return nullptr;
  auto found = std::ranges::find(assembled->functions, name, &FunctionResources::function);
  return found == assembled->functions.end() ? nullptr : &*found;
}

}  // namespace

CodeListing time_listing(std::string const& key, ir::KernelIr const& kernel,
                         std::vector<std::string> const& names, gpu::Multiprocessor const& unit,
                         Result<gpu::Rates> const& rates, Result<Assembled> const& assembled) {
  CodeListing listing{key, {}, {}};
  Writer writer(listing);
  double data = gpu::data_bytes_of(kernel.host);
  for (size_t i = 0; i < kernel.device.size(); ++i) {
    auto nest = gpu::launch_nest(kernel.device[i].body);
    if (!rates || !nest) {
      writer.unknown(names[i], rates ? "a loop's extent is data" : rates.error().message);
      continue;
    }
    FunctionResources const* counted = find(assembled, names[i]);
    if (counted) nest->registers = counted->registers;
    writer.launch(names[i], gpu::launch_time(*std::move(nest), unit, *rates, data),
                  counted != nullptr);
  }
  return listing;
}

}  // namespace tw::cuda
