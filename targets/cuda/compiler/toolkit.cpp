#include "targets/cuda/compiler/toolkit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "engine/support/files.h"
#include "engine/support/run_program.h"

namespace tw::cuda {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLimit{60};

/// Folders that may hold programs, the most wanted first.
std::vector<fs::path> folders() {
  std::vector<fs::path> list;
  for (char const* name : {"CUDA_HOME", "CUDA_PATH"})
    if (char const* value = std::getenv(name); value && *value)
      list.push_back(fs::path(value) / "bin");
  list.push_back("/usr/local/cuda/bin");
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find(':', at), path.size());
    if (end > at) list.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  // python3.11/site-packages/nvidia/cu13/bin, and the older nvidia/cuda_nvcc/bin.
  std::vector<fs::path> libraries{"/usr/local/lib", "/usr/lib"};
  if (char const* home = std::getenv("HOME")) libraries.push_back(fs::path(home) / ".local/lib");
  std::error_code ignored;
  for (fs::path const& library : libraries)
    for (auto const& entry : fs::directory_iterator(library, ignored)) {
      if (!entry.path().filename().string().starts_with("python3")) continue;
      for (char const* packages : {"site-packages", "dist-packages"})
        for (char const* part :
             {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "nvidia/cuda_nvdisasm/bin"})
          list.push_back(entry.path() / packages / part);
    }
  return list;
}

/// All that can be run, each once.
std::vector<fs::path> programs(std::vector<fs::path> const& list, char const* name) {
  std::vector<fs::path> found;
  for (fs::path const& folder : list) {
    fs::path candidate = folder / name;
    if (::access(candidate.c_str(), X_OK) == 0 && std::ranges::count(found, candidate) == 0)
      found.push_back(candidate);
  }
  return found;
}

/// A folder of its own, which goes away with this value.
class Folder {
public:
  Folder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "tilewright-ptx-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path const& path() const { return path_; }

private:
  fs::path path_;
};

/// The number that stands before or after a word; 0: there is none.
int64_t number_before(std::string_view line, std::string_view word) {
  size_t at = line.find(word);
  if (at == std::string_view::npos || at == 0) return 0;
  size_t end = line.find_last_of("0123456789", at - 1);
  if (end == std::string_view::npos) return 0;
  size_t begin = line.find_last_not_of("0123456789", end);
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  int64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + end + 1, value);
  return value;
}

std::string first_line(std::string const& text) {
  size_t at = text.find("error");
  size_t begin = at == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', begin) - begin).substr(0, 300);
}

/// Lines like "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are
/// serialized due to ...", and such that say what ptxas put in for them.
std::vector<std::string> remarks_of(std::string_view text) {
  static constexpr std::string_view kMark = "(C75";
  std::vector<std::string> remarks;
  for (size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1))
    remarks.emplace_back(text.substr(at, text.find('\n', at) - at));
  return remarks;
}

}  // namespace

Toolkit find_toolkit() {
  std::vector<fs::path> list = folders();
  std::vector<fs::path> assemblers = programs(list, "ptxas"), printers = programs(list, "nvdisasm");
  Toolkit toolkit;
  if (!printers.empty()) toolkit.nvdisasm = printers.front();
  if (assemblers.empty()) return toolkit;
  toolkit.ptxas = assemblers.front();
  toolkit.other_ptxas.assign(assemblers.begin() + 1, assemblers.end());
  return toolkit;
}

/// Per function a line that names it, one with stack and spills, one with registers:
///   ptxas info    : Compiling entry function 'f' for 'sm_80'
///   ptxas info    : Function properties for f
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 400 bytes cmem[0]
std::vector<FunctionResources> parse_resources(std::string_view text) {
  std::vector<FunctionResources> list;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (size_t at = line.find("entry function '"); at != std::string_view::npos) {
      std::string_view name = line.substr(at + 16);
      list.push_back({std::string(name.substr(0, name.find('\'')))});
    }
    if (list.empty()) continue;
    FunctionResources& last = list.back();
    if (line.contains("stack frame")) {
      last.stack_bytes = number_before(line, "bytes stack frame");
      last.spill_bytes =
          number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    }
    if (line.contains("Used ")) {
      last.registers = int(number_before(line, "registers"));
      last.shared_bytes = number_before(line, "bytes smem");
    }
  }
  return list;
}

namespace {

bool is_known(ProgramRun const& run) { return !run.output.contains("for option 'gpu-name'"); }

/// The first assembler that knows the architecture.
Result<ProgramRun> run_ptxas(Toolkit const& toolkit, std::string const& architecture,
                             fs::path const& source, fs::path const& cubin) {
  std::vector<fs::path> all{toolkit.ptxas};
  all.insert(all.end(), toolkit.other_ptxas.begin(), toolkit.other_ptxas.end());
  for (fs::path const& one : all) {
    TRY_ASSIGN(ProgramRun run, run_program({one.string(), "--verbose", "-arch=" + architecture,
                                            source.string(), "-o", cubin.string()},
                                           kLimit));
    if (run.exit_code == 0) return run;
    if (is_known(run))
      return refused("assembler_failed", "ptxas made no code: " + first_line(run.output));
  }
  return environment_failed(
      "no_toolkit",
      fmt::format("no ptxas that was found knows {}: {}", architecture,
                  architecture < "sm_75" ? "toolkits up to 12.9 do" : "a newer toolkit does"));
}

}  // namespace

Result<Assembled> assemble(Toolkit const& toolkit, std::string const& ptx,
                           std::string const& architecture) {
  if (toolkit.ptxas.empty())
    return environment_failed("no_toolkit",
                              "no ptxas was found: install a CUDA toolkit and set CUDA_HOME, or "
                              "run 'pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm'");
  Folder folder;
  if (folder.path().empty())
    return environment_failed("assembler_failed", "no folder can be made to assemble in");
  fs::path source = folder.path() / "kernel.ptx", cubin = folder.path() / "kernel.cubin";
  TRY(write_file(source, ptx, Durability::kFast));
  TRY_ASSIGN(ProgramRun run, run_ptxas(toolkit, architecture, source, cubin));
  TRY_ASSIGN(std::string file, read_file(cubin));
  auto const* bytes = reinterpret_cast<std::byte const*>(file.data());
  Assembled made{.functions = parse_resources(run.output),
                 .remarks = remarks_of(run.output),
                 .cubin = {bytes, bytes + file.size()}};
  if (toolkit.nvdisasm.empty()) return made;
  TRY_ASSIGN(ProgramRun text,
             run_program({toolkit.nvdisasm.string(), "-c", "-plr", cubin.string()}, kLimit));
  if (text.exit_code == 0) made.sass = std::move(text.output);
  return made;
}

namespace {

constexpr int64_t kLargeCode = 128;  // values of f32 or 32 bits: less are never more than registers

/// Of ".reg .f32 %f<129>;" and its like.
bool may_spill(std::string_view ptx) {
  for (std::string_view kind : {".reg .f32 ", ".reg .b32 "})
    for (size_t at = ptx.find(kind); at != ptx.npos; at = ptx.find(kind, at + 1))
      if (number_before(ptx.substr(at, ptx.find(';', at) - at), ">") >= kLargeCode) return true;
  return false;
}

int64_t spills_of(Assembled const& assembled, std::string const& function) {
  auto found = std::ranges::find(assembled.functions, function, &FunctionResources::function);
  return found == assembled.functions.end() ? 0 : found->spill_bytes;
}

}  // namespace

std::string with_room(std::string ptx, Room const& room) {
  for (auto const& [function, blocks] : room) {
    size_t size = ptx.find(".maxntid", std::min(ptx.size(), ptx.find(".entry " + function + "(")));
    if (size == std::string::npos) continue;
    ptx.insert(std::min(ptx.size(), ptx.find('\n', size)),
               fmt::format(" .minnctapersm {}", blocks));
  }
  return ptx;
}

Room room_without_spills(Toolkit const& toolkit, std::string const& ptx,
                         std::string const& architecture) {
  if (toolkit.ptxas.empty() || !may_spill(ptx)) return {};
  Toolkit const assembler{toolkit.ptxas, {}, toolkit.other_ptxas};
  auto first = assemble(assembler, ptx, architecture);
  Room room;
  std::map<std::string, int64_t> least;
  for (FunctionResources const& one : first ? first->functions : std::vector<FunctionResources>())
    if (one.spill_bytes > 0) least[one.function] = one.spill_bytes;
  for (int blocks : {8, 4, 2, 1}) {
    Room trial;
    for (auto const& [function, bytes] : least)
      if (bytes > 0) trial[function] = blocks;
    if (trial.empty()) break;
    auto again = assemble(assembler, with_room(ptx, trial), architecture);
    for (auto const& [function, unused] : trial) {
      int64_t bytes = again ? spills_of(*again, function) : least[function];
      if (bytes >= least[function]) continue;
      least[function] = bytes;
      room[function] = blocks;
    }
  }
  return room;
}

}  // namespace tw::cuda
