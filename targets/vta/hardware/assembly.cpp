#include "targets/vta/hardware/assembly.h"

#include <fmt/format.h>

#include <ranges>

#include "targets/vta/hardware/configuration_text.h"
#include "targets/vta/hardware/encoding.h"
#include "targets/vta/hardware/line_fields.h"
#include "targets/vta/hardware/words.h"

namespace tw::vta {
namespace {

std::unexpected<Error> bad_assembly(std::string sentence, Place place, int column) {
  place.column = column;
  return bad_input("bad_assembly", std::move(sentence), std::move(place));
}

template <typename Kind>
std::optional<Kind> named(std::string_view word, std::initializer_list<Kind> kinds) {
  for (Kind kind : kinds)
    if (to_text(kind) == word) return kind;
  return std::nullopt;
}

constexpr auto kOpcodes = {Opcode::kLoad, Opcode::kStore, Opcode::kGemm, Opcode::kFinish,
                           Opcode::kAlu};
constexpr auto kAluOps = {AluOp::kMin, AluOp::kMax,  AluOp::kAdd,  AluOp::kShr,
                          AluOp::kMul, AluOp::kClip, AluOp::kMove, AluOp::kMulByte};
constexpr auto kMemoryNames = {Memory::kUop, Memory::kWgt, Memory::kInp,
                               Memory::kAcc, Memory::kOut, Memory::kAccByte};

/// What follows the opcode of LOAD, STORE and ALU: a memory or an operation.
Status read_kind(Instruction& instruction, std::span<Word const> words, Place const& place) {
  bool alu = instruction.opcode == Opcode::kAlu;
  std::string_view text = words.size() > 1 ? words[1].text : "";
  auto memory = named(text, kMemoryNames);
  auto op = named(text, kAluOps);
  if (alu && op) instruction.alu = *op;
  if (!alu && memory) instruction.transfer.memory = *memory;
  if (alu ? op.has_value() : memory.has_value()) return {};
  int column = words.size() > 1 ? words[1].column : words[0].column;
  return bad_assembly(
      fmt::format("'{}' is no {}", text.substr(0, 80), alu ? "operation of the alu" : "memory"),
      place, column);
}

Result<Instruction> read_words(std::span<Word const> words, Place const& place) {
  auto opcode = named(words[0].text, kOpcodes);
  if (!opcode)
    return bad_assembly(fmt::format("there is no instruction '{}'", words[0].text.substr(0, 80)),
                        place, words[0].column);
  Instruction instruction{.opcode = *opcode};
  bool with_kind = *opcode != Opcode::kGemm && *opcode != Opcode::kFinish;
  if (with_kind) TRY(read_kind(instruction, words, place));
  for (Word const& word : words.subspan(with_kind ? 2 : 1))
    if (auto set = set_line_field(instruction, word.text); !set)
      return bad_assembly(set.error().message, place, word.column);
  return instruction;
}

/// "uop 12: dst=0 src=1 wgt=2".
Result<std::pair<uint64_t, MicroOp>> read_uop(std::span<Word const> words, Place const& place) {
  std::string_view address = words.size() > 1 ? words[1].text : "";
  auto number = whole_number(address.substr(0, address.size() - !address.empty()));
  if (!address.ends_with(':') || !number)
    return bad_assembly("a micro-op's line is 'uop ADDRESS: dst=... src=... wgt=...'", place,
                        words[0].column);
  MicroOp uop;
  for (Word const& word : words.subspan(2)) {
    auto pair = name_and_value(word.text);
    auto value = pair ? whole_number(pair->value) : std::nullopt;
    bool known = pair && (pair->name == "dst" || pair->name == "src" || pair->name == "wgt");
    if (!known || !value || *value > UINT32_MAX)
      return bad_assembly(fmt::format("'{}' is no field of a micro-op", word.text.substr(0, 80)),
                          place, word.column);
    (pair->name == "dst" ? uop.dst : pair->name == "src" ? uop.src : uop.wgt) = uint32_t(*value);
  }
  return std::pair(*number, uop);
}

/// Reads a text line by line.
class AssemblyReader {
public:
  explicit AssemblyReader(std::string_view file) : place_{.file = std::string(file)} {}

  Status read(std::string_view line) {
    ++place_.line;
    std::vector<Word> words = words_of(line);
    if (place_.line == 1) return read_head(words);
    if (words.empty()) return {};
    if (words[0].text == "configuration") return read_configuration(words);
    if (words[0].text == "uop") return add_uop(words);
    if (words[0].text == "tilewright")
      return bad_assembly("a second stream begins here: a text holds one", place_, words[0].column);
    std::span<Word const> unnumbered = words;
    if (whole_number(words[0].text) && words.size() > 1) unnumbered = unnumbered.subspan(1);
    TRY_ASSIGN(Instruction instruction, read_words(unnumbered, place_));
    if (auto bits = encode(assembly_.configuration, instruction); !bits)
      return bad_assembly(bits.error().message, place_, words[0].column);
    assembly_.stream.push_back(instruction);
    return {};
  }
  Result<Assembly> take() {
    ++place_.line;
    if (place_.line == 1) TRY(read_head({}));
    return std::move(assembly_);
  }

private:
  Status read_head(std::span<Word const> words) {
    bool right = words.size() == 3 && words[0].text == "tilewright" && words[1].text == "vta" &&
                 words[2].text == "1";
    if (right) return {};
    return bad_assembly(fmt::format("the first line is not '{}'", kAssemblyHead), place_, 1);
  }

  /// Before everything that is of a configuration's widths.
  Status read_configuration(std::span<Word const> words) {
    if (!assembly_.stream.empty() || !assembly_.uops.empty())
      return bad_assembly("the configuration must come before instructions and micro-ops", place_,
                          words[0].column);
    for (Word const& word : words.subspan(1)) {
      auto pair = name_and_value(word.text);
      auto done = pair ? set(assembly_.configuration, pair->name, pair->value)
                       : Status(bad_input("", "a setting is 'name=value'"));
      if (!done) return bad_assembly(done.error().message, place_, word.column);
    }
    if (auto legal = validate(assembly_.configuration); !legal)
      return bad_assembly(legal.error().message, place_, words[0].column);
    return {};
  }

  Status add_uop(std::span<Word const> words) {
    TRY_ASSIGN(auto uop, read_uop(words, place_));
    if (auto bits = encode(assembly_.configuration, uop.second); !bits)
      return bad_assembly(bits.error().message, place_, words[0].column);
    assembly_.uops.push_back(uop);
    return {};
  }

  Place place_;
  Assembly assembly_;
};

}  // namespace

std::string to_line(Instruction const& instruction) {
  std::string line(to_text(instruction.opcode));
  if (instruction.opcode == Opcode::kAlu) line += fmt::format(" {}", to_text(instruction.alu));
  if (instruction.opcode == Opcode::kLoad || instruction.opcode == Opcode::kStore)
    line += fmt::format(" {}", to_text(instruction.transfer.memory));
  return line + line_fields(instruction);
}

Result<Instruction> parse_line(std::string_view line, Place place) {
  std::vector<Word> words = words_of(line);
  if (words.empty()) return bad_assembly("there is no instruction", std::move(place), 1);
  return read_words(words, place);
}

std::string to_line(uint64_t address, MicroOp const& uop) {
  return fmt::format("uop {}: dst={} src={} wgt={}", address, uop.dst, uop.src, uop.wgt);
}

std::string configuration_line(Configuration const& configuration) {
  std::string line = "configuration";
  for (auto const& [name, value] : settings_of(configuration, true))
    line += fmt::format(" {}={}", name, value);
  return line;
}

std::string to_text(Assembly const& assembly) {
  std::string text =
      fmt::format("{}\n{}\n", kAssemblyHead, configuration_line(assembly.configuration));
  for (auto const& [address, uop] : assembly.uops) text += to_line(address, uop) + "\n";
  for (Instruction const& instruction : assembly.stream) text += to_line(instruction) + "\n";
  return text;
}

Result<Assembly> parse_assembly(std::string_view text, std::string_view file) {
  AssemblyReader reader(file);
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (auto part : std::views::split(text, '\n'))
    TRY(reader.read(std::string_view(part.begin(), part.end())));
  return reader.take();
}

}  // namespace tw::vta
