#include "engine/compile/code_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "engine/compile/code_version.h"
#include "engine/support/base/hash.h"
#include "engine/support/files.h"
#include "engine/tensor/ndarray.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tilewright code 2\n";
constexpr int64_t kMostEntryBytes = int64_t(64) << 20;
constexpr int64_t kMostParts = 16;
constexpr char const* kLimitFile = "limit";

uint64_t hash_of(std::string_view bytes) { return Hasher().text(bytes).finish(); }

/// Numbers as eight bytes, texts with their length before them.
class Writer {
public:
  Writer& number(int64_t value) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(char(uint64_t(value) >> (8 * i)));
    return *this;
  }
  Writer& text(std::string_view text) {
    number(int64_t(text.size()));
    bytes_.append(text);
    return *this;
  }
  Writer& artifact(Artifact const& artifact) {
    text(artifact.symbol).number(artifact.workspace_bytes).number(int64_t(artifact.parts.size()));
    for (auto const& [name, bytes] : artifact.parts)
      text(name).text({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    return *this;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// After the first thing that is not there, everything reads as nothing and `good` is false.
class Reader {
public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return good_ && left_.empty(); }

  int64_t number(int64_t most) {
    uint64_t value = 0;
    std::string_view bytes = take(8);
    for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t(uint8_t(bytes[i])) << (8 * i);
    good_ = good_ && value <= uint64_t(most);
    return good_ ? int64_t(value) : 0;
  }
  std::string_view text() { return take(size_t(number(kMostEntryBytes))); }
  Artifact artifact() {
    Artifact artifact;
    artifact.symbol = text();
    artifact.workspace_bytes = number(int64_t(1) << 40);
    for (int64_t left = number(kMostParts); left > 0 && good_; --left) {
      std::string name(text());
      std::string_view part = text();
      auto const* bytes = reinterpret_cast<std::byte const*>(part.data());
      artifact.parts.push_back({std::move(name), {bytes, bytes + part.size()}});
    }
    return artifact;
  }

private:
  std::string_view take(size_t count) {
    good_ = good_ && count <= left_.size();
    std::string_view taken = left_.substr(0, good_ ? count : 0);
    left_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view left_;
  bool good_ = true;
};

std::unexpected<Error> broken(std::string why) {
  return environment_failed("broken_entry", "the cached kernel is damaged: " + why);
}

std::string text_of(Hardware const& hardware) {
  std::string text;
  for (auto const& [key, word] : hardware.code) text += fmt::format("{} {} ", key, word);
  for (Unit const& unit : hardware.units)
    text += fmt::format("{} x {}, vectors {} x {}", unit.count, unit.name, unit.vector_registers,
                        unit.vector_bytes);
  for (MemoryLevel const& cache : hardware.caches())
    text += fmt::format(" {} {}/{}", cache.name, cache.bytes, cache.shared_by);
  return text;
}

}  // namespace

std::string code_key(ir::Program const& program, std::string const* script, Backend const& backend,
                     CodeTier tier, LowerOptions const& options) {
  // Nothing where all passes run, as they nearly always do.
  std::string passes =
      options.off.empty() ? "" : fmt::format("without {}\n", fmt::join(options.off, ", "));
  return fmt::format("version {}\ngenerator {}\ntarget {} {}\n{}tier {}\nscript {}\n{}",
                     code_version(), backend.generator(), backend.target().name,
                     text_of(backend.target().hardware), passes, int(tier),
                     script ? fmt::format("of {} bytes\n{}", script->size(), *script) : "by rule",
                     ir::to_text(program));
}

std::string to_entry(std::string const& key, KernelCode const& code) {
  Writer body;
  body.text(key).artifact(code.run).number(code.load ? 1 : 0);
  if (code.load) body.artifact(*code.load);
  body.number(int64_t(code.made.size()));
  for (ir::Buffer const& buffer : code.made) {
    Shape shape = ir::constant_shape(*buffer).value_or(Shape{});
    body.text(buffer->name).number(int64_t(buffer->type)).number(int64_t(shape.size()));
    for (int64_t extent : shape) body.number(extent);
  }
  body.number(int64_t(code.read.size()));
  for (bool read : code.read) body.number(read ? 1 : 0);
  body.text(code.script);
  std::string bytes = body.take();
  return std::string(kMagic) + Writer().number(int64_t(hash_of(bytes))).take() + bytes;
}

Result<KernelCode> parse_entry(std::string_view bytes, std::string const& key) {
  if (!bytes.starts_with(kMagic)) return broken("it does not begin like a cached kernel");
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < 8) return broken("it is truncated");
  uint64_t stated = 0;
  for (size_t i = 0; i < 8; ++i) stated |= uint64_t(uint8_t(bytes[i])) << (8 * i);
  bytes.remove_prefix(8);
  if (stated != hash_of(bytes)) return broken("its checksum is wrong");
  Reader reader(bytes);
  if (reader.text() != key)
    return environment_failed("other_key", "the cached kernel was compiled from different input");
  KernelCode code;
  code.run = reader.artifact();
  if (reader.number(1) == 1) code.load = reader.artifact();
  for (int64_t left = reader.number(1 << 16); left > 0 && reader.good(); --left) {
    std::string name(reader.text());
    DType type = DType(reader.number(int64_t(DType::kBool)));
    Shape shape(size_t(reader.number(16)));
    for (int64_t& extent : shape) extent = reader.number(int64_t(1) << 40);
    code.made.push_back(ir::make_buffer(name, type, shape));
  }
  for (int64_t left = reader.number(1 << 16); left > 0 && reader.good(); --left)
    code.read.push_back(reader.number(1) == 1);
  code.script = reader.text();
  if (!reader.at_end()) return broken("the sizes of its parts do not add up to its size");
  return code;
}

fs::path CodeCache::file_of(std::string const& key) const {
  return options_.folder / fmt::format("{:016x}.twk", hash_of(key));
}

std::optional<KernelCode> CodeCache::find(std::string const& key) {
  fs::path file = file_of(key);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  auto bytes = read_file(file, kMostEntryBytes);
  Result<KernelCode> code = bytes ? parse_entry(*bytes, key) : std::unexpected(bytes.error());
  if (!code) {
    ++broken_;
    fs::remove(file, ignored);
    return {};
  }
  ++found_;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // used just now
  return std::move(*code);
}

void CodeCache::keep(std::string const& key, KernelCode const& code) {
  if (!code.run.accesses.empty()) return;
  std::error_code error;
  fs::create_directories(options_.folder, error);
  std::string entry = to_entry(key, code);
  if (int64_t(entry.size()) > kMostEntryBytes) return;
  // What a power cut damages, the checksum shows.
  if (write_file(file_of(key), entry, Durability::kFast)) ++kept_;
}

void CodeCache::trim() {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code ignored;
  sweep_drafts(options_.folder);
  for (auto const& file : fs::directory_iterator(options_.folder, ignored)) {
    auto size = file.file_size(ignored);
    Entry entry{file.path(), file.last_write_time(ignored), ignored ? 0 : int64_t(size)};
    if (entry.path.extension() != ".twk") continue;
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  // Processes that do this at once all begin with the same ones: together they remove no more.
  std::ranges::sort(entries, {}, [](Entry const& one) { return std::pair(one.used, one.path); });
  int64_t most = options_.most_bytes.value_or(limit_of_code(options_.folder));
  for (Entry const& entry : entries) {
    if (total <= most) return;
    std::error_code error;
    fs::remove(entry.path, error);
    if (!error) total -= entry.bytes;  // also where another process was first
  }
}

int64_t limit_of_code(fs::path const& folder) {
  constexpr int64_t kUsual = int64_t(256) << 20, kMost = int64_t(1) << 50;
  auto text = read_text(folder / kLimitFile, 100);
  if (!text) return kUsual;
  int64_t bytes = 0;
  auto read = std::from_chars(text->data(), text->data() + text->size(), bytes);
  // What ends in anything but a line's end was damaged.
  std::string_view rest(read.ptr, text->data() + text->size());
  bool whole = read.ec == std::errc() && rest.find_first_not_of("\r\n ") == rest.npos;
  return whole && bytes > 0 && bytes <= kMost ? bytes : kUsual;
}

Status keep_limit_of_code(fs::path const& folder, int64_t bytes) {
  TRY(make_folder(folder));
  return write_file(folder / kLimitFile, fmt::format("{}\n", bytes));
}

}  // namespace tw
