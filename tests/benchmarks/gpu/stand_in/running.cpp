// The stand-in for NVIDIA's driver that runs a pack's kernels by itself: as this processor's code,
// which a pack for it has a library of for each function; probes by what they are to find out. What
// is to hang or to fail, the environment says.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/cuda/stand_in/stand_in.h"
#include "tests/support/thread_fibers.h"

extern "C" tw::testing::StandIn* stand_in();

namespace {

using tw::testing::Block;

constexpr int kIllegalAddress = 700, kNotFound = 500;

std::string setting(char const* name) {
  char const* value = std::getenv(name);
  return value ? value : "";
}

template <typename T>
T argument(void** parameters, size_t index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

bool same_for_partners(uint32_t const* offsets, uint32_t apart) {
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (offsets[lane] != offsets[lane ^ apart]) return false;
  return true;
}

/// Lanes go together that take 128 bytes, twice as many where partners want the same; each goes on
/// as long as two of them want different words of a bank.
uint64_t cycles_of(uint32_t const* offsets, uint32_t bytes) {
  uint32_t together = 32 * 4 / bytes;
  if (bytes > 4 && (same_for_partners(offsets, 1) || same_for_partners(offsets, 2))) together *= 2;
  uint64_t cycles = 0;
  for (uint32_t first = 0; first < 32; first += together) {
    std::map<uint32_t, std::set<uint32_t>> words;
    for (uint32_t lane = first; lane < first + together; ++lane)
      for (uint32_t at = offsets[lane]; at < offsets[lane] + bytes; at += 4)
        words[at / 4 % 32].insert(at / 4);
    size_t most = 0;
    for (auto const& [bank, own] : words) most = std::max(most, own.size());
    cycles += most;
  }
  return cycles;
}

int run_probe(std::string const& name, void** parameters) {
  if (name == "tw_probe_copy") {
    auto* to = argument<char*>(parameters, 1);
    std::memcpy(to, argument<char const*>(parameters, 0), argument<uint64_t>(parameters, 2) * 16);
  }
  constexpr std::string_view kShared = "tw_probe_shared_";
  if (!name.starts_with(kShared)) return 0;
  auto bytes = uint32_t(std::stoul(name.substr(kShared.size())));
  uint64_t accesses = uint64_t(argument<uint32_t>(parameters, 3)) * 8 * 32;
  *argument<uint64_t*>(parameters, 1) =
      accesses * cycles_of(argument<uint32_t const*>(parameters, 0), bytes);
  return 0;
}

int run_blocks(void* library, std::string const& name, unsigned const grid[3],
               unsigned const block[3], void const* words) {
  auto function =
      reinterpret_cast<Block::Function>(::dlsym(library, (tw::testing::kCall + name).c_str()));
  if (!function) return kNotFound;
  void *at = ::dlsym(library, tw::testing::kAt), *meet = ::dlsym(library, tw::testing::kMeet);
  if (void* shuffle = ::dlsym(library, tw::testing::kShuffle))
    *static_cast<void**>(shuffle) = reinterpret_cast<void*>(&Block::shuffle);
  int32_t none[6] = {};
  void* nowhere = nullptr;
  auto* numbers = at ? static_cast<int32_t*>(at) : none;
  for (unsigned b = 0; b < grid[0] * grid[1] * grid[2]; ++b) {
    numbers[0] = int32_t(b % grid[0]);
    numbers[1] = int32_t(b / grid[0] % grid[1]);
    numbers[2] = int32_t(b / grid[0] / grid[1]);
    if (!Block::run(function, words, {block[0], block[1], block[2]}, numbers,
                    meet ? static_cast<void**>(meet) : &nowhere))
      return kIllegalAddress;  // threads that do not meet
  }
  return 0;
}

int run(void*, char const* function, unsigned const grid[3], unsigned const block[3],
        void** parameters) {
  std::string name = function;
  if (name == setting("TW_STAND_IN_FAULT")) return kIllegalAddress;
  while (name == setting("TW_STAND_IN_HANG"))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (name == setting("TW_STAND_IN_CRASH")) std::abort();
  if (name.starts_with("tw_probe_")) return run_probe(name, parameters);
  std::string file = setting("TW_STAND_IN_CODE") + "/" + name + ".so";
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return kNotFound;
  std::vector<uint64_t> words;
  for (size_t i = 0; i < stand_in()->arguments; ++i)
    words.push_back(argument<uint64_t>(parameters, i));
  return run_blocks(library, name, grid, block, words.data());
}

[[gnu::constructor]] void begin() {
  stand_in()->run = run;
  stand_in()->memory_bytes = uint64_t(2) << 30;
}

}  // namespace
