#include "engine/session/views/launch_views.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/compile/load_time.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {
namespace {

/// "4", or "4.5" where not all iterations cost the same.
std::string number(double value) {
  bool whole = std::abs(value - std::round(value)) < 1e-9;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string units(LaunchAccess const& access, double count) {
  if (access.shared) return count == 1 ? "pass" : "passes";
  return count == 1 ? "sector" : "sectors";
}

/// Sectors, or passes, of a warp in a launch that side by side elements would not cost.
double wasted(LaunchAccess const& access) {
  return costs_more(access) ? (access.average - access.ideal) * access.requests : 0;
}

std::string of_access(LaunchAccess const& access) {
  return fmt::format("the {} of {} takes {} {} where {} would do", access.store ? "store" : "load",
                     access.tensor, number(access.average), units(access, access.average),
                     access.ideal);
}

}  // namespace

std::string cost_words(LaunchAccess const& access) {
  if (!access.undecided.empty()) return "not decided: " + access.undecided;
  std::string words = fmt::format("{} {}", number(access.average), units(access, access.average));
  if (costs_more(access)) words += fmt::format(", {} would do", access.ideal);
  return words;
}

AccessPlace costliest_access(KernelLaunches const& kernel) {
  AccessPlace worst;
  double most = 1e-9;
  for (size_t i = 0; i < kernel.launches.size(); ++i) {
    auto const& accesses = kernel.launches[i].accesses;
    for (size_t j = 0; j < accesses.size(); ++j) {
      // A sector is 32 bytes of main memory, which is an order slower than shared memory.
      double here = wasted(accesses[j]) * (accesses[j].shared ? 1 : 4);
      if (here > most) worst = {int(i), int(j)};
      most = std::max(most, here);
    }
  }
  return worst;
}

std::string access_sentence(KernelLaunches const& kernel) {
  int all = 0, open = 0, over = 0;
  for (LaunchReport const& launch : kernel.launches)
    for (LaunchAccess const& access : launch.accesses) {
      ++all;
      open += !access.undecided.empty();
      over += costs_more(access);
    }
  if (all == 0) return "Nothing reads or writes main or shared memory.";
  std::string end =
      open > 0 ? fmt::format(" {} {} not decided.", open, open == 1 ? "is" : "are") : std::string();
  if (over == 0)
    return fmt::format("None of {} costs more than its bytes need.{}",
                       all == 1 ? "one access" : fmt::format("{} accesses", all), end);
  AccessPlace worst = costliest_access(kernel);
  std::string words =
      of_access(kernel.launches[size_t(worst.launch)].accesses[size_t(worst.access)]);
  words[0] = 'T';
  return fmt::format("{}; {} of {} accesses cost more than their bytes need.{}", words, over, all,
                     end);
}

std::string waves_sentence(KernelLaunches const& kernel, LaunchReport const& launch) {
  if (launch.blocks() < 1) return "How many blocks there are is known at run time only.";
  if (!kernel.no_occupancy.empty())
    return fmt::format(
        "{} blocks of {} threads for {} units. How many run at once is not known: {}.",
        launch.blocks(), launch.threads(), kernel.units, kernel.no_occupancy);
  gpu::Occupancy now = gpu::occupancy(kernel.unit, launch.use());
  if (now.blocks == 0) return "No block fits a multiprocessor.";
  Waves waves = waves_of(launch.blocks(), kernel.units, now);
  std::string first = waves.waves == 1
                          ? fmt::format("One wave, {:.0f} % full", 100 * waves.filled())
                          : fmt::format("{} waves, the last {:.0f} % full", waves.waves,
                                        100.0 * double(waves.last) / double(waves.at_once));
  if (waves.waves > 1)
    first += fmt::format(": {:.1f} % of the places stay empty", 100 * (1 - waves.filled()));
  std::string second = fmt::format("{} of {} warps fit on a multiprocessor, limited by {}",
                                   now.warps, kernel.unit.max_warps, gpu::limit_text(now.limit));
  if (!launch.registers) second = "At most " + second + "; registers are not counted";
  std::string next = gpu::next_step(kernel.unit, launch.use());
  if (!next.empty()) second += " (" + next + ")";
  return first + ". " + second + ".";
}

LaunchesView launches_view(ir::Program const& program, Backend const& backend, bool assembled,
                           StopToken stop) {
  LaunchesView view;
  view.program_hash = ir::hash(program);
  ir::Program const runs = split_load_time(program).at_run;
  auto made = backend.launches(runs, assembled, stop);
  if (!made) {
    view.failure = to_sentence(made.error());
    return view;
  }
  view.kernel = *std::move(made);
  auto stages = lower(runs, backend.target(), backend.passes(), environment_lower_options());
  if (stages) view.lines = text_of_stage(stages->back().kernel, {}).lines;
  return view;
}

}  // namespace tw::session
