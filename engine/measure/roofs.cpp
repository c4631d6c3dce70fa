#include "engine/measure/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/device/hardware_text.h"
#include "engine/device/requests/status.h"
#include "engine/device/scoped_handle.h"
#include "engine/support/files.h"

namespace tw {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Level {
  std::string name;
  int64_t one_core_bytes = 0;
  int64_t all_cores_bytes = 0;  ///< of each core
};

int64_t rounded(double bytes, int64_t step) {
  return std::max<int64_t>(1, int64_t(bytes) / step) * step;
}

/// A working set for each level: well above what the nearer level holds, well below its own.
std::vector<Level> plan_levels(Hardware const& hardware, int64_t step) {
  std::vector<Level> levels;
  double nearer = 0, farthest = 1 << 20;
  int units = hardware.unit().count;
  for (MemoryLevel const& cache : hardware.caches()) {
    double share = double(cache.bytes) / std::clamp(cache.shared_by, 1, units);
    double bytes = nearer == 0 ? share / 2 : std::max(std::sqrt(nearer * share), 2 * nearer);
    int64_t set = rounded(bytes, step);
    levels.push_back({cache.name, set, set});
    nearer = share;
    farthest = std::max(farthest, double(cache.bytes));
  }
  double most = std::min(512.0 * (1 << 20), double(hardware.main_memory_bytes()) / 8);
  double memory = std::min(4 * farthest, std::max(most, double(1 << 22)));
  std::string main = hardware.main_memory_bytes() > 0 ? hardware.memories.back().name : "memory";
  levels.push_back({main, rounded(memory, step), rounded(memory / units, step)});
  return levels;
}

/// One thing to measure: a probe on one working set, by one core and by all.
struct Item {
  std::string name;
  RoofProbe const* probe = nullptr;
  int64_t one_core_bytes = 0;
  int64_t all_cores_bytes = 0;
  Samples one_core = {};
  Samples all_cores = {};
};

class RoofMeasurement {
public:
  RoofMeasurement(Device& device, Hardware const& hardware, RoofProbes const& probes,
                  RoofOptions const& options)
      : device_(device),
        units_(hardware.unit().count),
        hardware_(hardware),
        probes_(probes),
        options_(options) {}

  Result<Roofs> run() {
    std::vector<Level> levels = plan_levels(hardware_, probes_.step_bytes);
    TRY(prepare(levels));
    std::vector<Item> items = plan_items(levels);
    steps_ = 2 * int64_t(items.size()) * options_.rounds;
    for (int round = 0; round < options_.rounds; ++round) {
      for (Item& item : items) {
        TRY(measure(item, 1, item.one_core_bytes, item.one_core));
        TRY(measure(item, units_, item.all_cores_bytes, item.all_cores));
      }
    }
    return to_roofs(levels, items);
  }

private:
  std::vector<Item> plan_items(std::vector<Level> const& levels) const {
    std::vector<Item> items;
    for (ComputeProbe const& one : probes_.compute)
      items.push_back({one.type + " " + one.unit + " peak", &one.probe});
    for (Level const& level : levels) {
      for (RoofProbe const* probe : {&probes_.load, &probes_.triad}) {
        items.push_back(
            {level.name + " " + probe->symbol, probe, level.one_core_bytes, level.all_cores_bytes});
      }
    }
    return items;
  }

  Roofs to_roofs(std::vector<Level> const& levels, std::vector<Item> const& items) const {
    Roofs roofs;
    size_t first = probes_.compute.size();
    for (size_t i = 0; i < first; ++i) {
      auto const& [name, unit, type, probe] = probes_.compute[i];
      roofs.compute.push_back({name, unit, type, rate(items[i])});
    }
    for (size_t i = 0; i < levels.size(); ++i) {
      roofs.memory.push_back({.name = levels[i].name,
                              .working_set = levels[i].one_core_bytes,
                              .load = rate(items[first + 2 * i]),
                              .triad = rate(items[first + 1 + 2 * i])});
    }
    return roofs;
  }

  Status prepare(std::vector<Level> const& levels) {
    int64_t bytes = 0;
    for (Level const& level : levels) {
      bytes = std::max({bytes, level.one_core_bytes, level.all_cores_bytes * units_});
    }
    TRY_ASSIGN(library_, load_scoped(device_, probes_.library, call_options()));
    TRY_ASSIGN(data_, allocate_scoped(device_, bytes, call_options()));
    int64_t parameter_bytes = int64_t(sizeof(RoofParameters)) + 64 * units_;
    TRY_ASSIGN(parameters_, allocate_scoped(device_, parameter_bytes, call_options()));
    // Written once: pages that were never written are all the same page of zeros.
    std::vector<std::byte> piece(8 << 20, std::byte{1});
    for (int64_t at = 0; at < bytes; at += int64_t(piece.size())) {
      auto size = size_t(std::min<int64_t>(int64_t(piece.size()), bytes - at));
      TRY(device_.write(data_.get(), at, std::span(piece).first(size), call_options()));
    }
    return {};
  }

  CallOptions call_options() const { return {.stop = options_.stop}; }

  /// Of one call: about a millisecond of arithmetic, or 32 MB of traffic.
  static int64_t iterations(int64_t bytes) {
    return bytes == 0 ? 20'000 : std::max<int64_t>(1, (32 << 20) / bytes);
  }

  /// 1e9 operations or bytes per second, of one core.
  static double per_second(Item const& item, int64_t bytes, Samples const& samples) {
    double work = bytes == 0 ? item.probe->flops_per_iteration : double(bytes);
    return work * double(iterations(bytes)) / std::max(samples.least(), 1e-9) * 1e-9;
  }

  Rate rate(Item const& item) const {
    double all = per_second(item, item.all_cores_bytes, item.all_cores);
    return {.one_core = per_second(item, item.one_core_bytes, item.one_core),
            .all_cores = all * units_,
            .spread = std::max(item.one_core.spread(), item.all_cores.spread())};
  }

  Status measure(Item const& item, int tasks, int64_t bytes, Samples& samples) {
    if (options_.progress) options_.progress({item.name, done_, steps_});
    RoofParameters parameters{.tasks = tasks, .iterations = iterations(bytes), .bytes = bytes};
    TRY(device_.write(parameters_.get(), 0, std::as_bytes(std::span(&parameters, 1)),
                      call_options()));
    DeviceStep step{.library = library_.get(),
                    .symbol = item.probe->symbol,
                    .buffers = {{parameters_.get()}, {data_.get()}}};
    double spent = std::chrono::duration<double>(Clock::now() - start_).count();
    double share = (options_.most_seconds - spent) / double(steps_ - done_);
    TimingOptions timing_options{.repeats = options_.repeats, .most_seconds = std::max(0.0, share)};
    TRY_ASSIGN(Timing timing,
               device_.time(std::span(&step, 1), tasks, timing_options, call_options()));
    std::vector<double> const& seconds = timing.total.seconds;
    samples.seconds.insert(samples.seconds.end(), seconds.begin(), seconds.end());
    ++done_;
    return {};
  }

  Device& device_;
  int units_;
  Hardware const& hardware_;
  RoofProbes const& probes_;
  RoofOptions const& options_;
  Clock::time_point start_ = Clock::now();
  ScopedLibrary library_;
  ScopedTensor data_, parameters_;
  int64_t done_ = 0;
  int64_t steps_ = 1;
};

constexpr char kFirstLine[] = "tilewright roofs 2\n";
constexpr std::string_view kDisturbed = "measured while others ran\n";

Result<MeasuredRoofs> read_roofs(fs::path const& path) {
  constexpr size_t kMostBytes = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(std::max<std::streamsize>(file.gcount(), 0)));
  if (!text.starts_with(kFirstLine)) return bad_input("bad_roofs_text", "not a file of roofs");
  std::string_view content = std::string_view(text).substr(sizeof kFirstLine - 1);
  bool disturbed = content.ends_with(kDisturbed);
  if (disturbed) content.remove_suffix(kDisturbed.size());
  TRY_ASSIGN(Roofs roofs, parse_roofs(content));
  return MeasuredRoofs{roofs, disturbed};
}

void take_better(Rate& rate, Rate const& other) {
  rate.one_core = std::max(rate.one_core, other.one_core);
  rate.all_cores = std::max(rate.all_cores, other.all_cores);
}

/// Of the same machine: what it did once it can do.
void take_better(Roofs& roofs, Roofs const& other) {
  for (size_t i = 0; i < std::min(roofs.compute.size(), other.compute.size()); ++i)
    take_better(roofs.compute[i].rate, other.compute[i].rate);
  for (size_t i = 0; i < std::min(roofs.memory.size(), other.memory.size()); ++i) {
    take_better(roofs.memory[i].load, other.memory[i].load);
    take_better(roofs.memory[i].triad, other.memory[i].triad);
  }
}

/// The best of all rounds is steady where nobody else works.
bool is_unsteady(Roofs const& roofs) {
  constexpr double kSteady = 0.25;
  bool unsteady = !roofs.compute.empty() && roofs.compute.front().rate.spread > kSteady;
  for (MemoryRoof const& memory : roofs.memory) unsteady |= memory.load.spread > kSteady;
  return unsteady;
}

/// What cannot be kept is measured again.
void write_roofs(fs::path const& path, MeasuredRoofs const& roofs) {
  std::string text = kFirstLine + to_json_text(roofs) + "\n";
  if (roofs.disturbed) text += kDisturbed;
  if (make_folder(path.parent_path())) (void)write_file(path, text, Durability::kFast);
}

}  // namespace

Result<Roofs> measure_roofs(Device& device, Hardware const& hardware, RoofProbes const& probes,
                            RoofOptions const& options) {
  return RoofMeasurement(device, hardware, probes, options).run();
}

fs::path roofs_file(fs::path const& folder, Hardware const& hardware) {
  return folder / fmt::format("roofs-{:016x}.json", fingerprint(hardware));
}

Result<MeasuredRoofs> kept_roofs(fs::path const& folder, Hardware const& hardware) {
  return read_roofs(roofs_file(folder, hardware));
}

void doubt_roofs(fs::path const& folder, Hardware const& hardware) {
  auto kept = read_roofs(roofs_file(folder, hardware));
  if (!kept || kept->disturbed) return;
  kept->disturbed = true;
  write_roofs(roofs_file(folder, hardware), *kept);
}

bool others_run(Device& device, Hardware const& hardware, StopToken stop) {
  auto status = ask_status(device, {.stop = stop});
  return status && status->load > 0.5 * hardware.unit().count;
}

Result<MeasuredRoofs> cached_roofs(Device& device, Hardware const& hardware, fs::path const& folder,
                                   std::function<Result<RoofProbes>()> const& build_probes,
                                   RoofOptions const& options) {
  fs::path path = roofs_file(folder, hardware);
  Result<MeasuredRoofs> kept = read_roofs(path);
  if (kept && !kept->disturbed) return kept;
  bool busy = others_run(device, hardware, options.stop);
  if (kept && busy) return kept;
  TRY_ASSIGN(RoofProbes probes, build_probes());
  TRY_ASSIGN(Roofs measured, measure_roofs(device, hardware, probes, options));
  MeasuredRoofs roofs{measured, busy || is_unsteady(measured)};
  if (kept) take_better(roofs, *kept);
  write_roofs(path, roofs);
  return roofs;
}

}  // namespace tw
