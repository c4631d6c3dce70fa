// What single instructions do, in words: those that kernels of the processors we make code for
// contain; the rest is said by what their tables tell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/session/code_report.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

struct Words {
  std::string_view begin;  ///< of the instruction's name
  std::string_view words;
};

/// What is moved; from where to where, the instruction's flags say.
constexpr Words kMoved[] = {
    {"vmovnt", "a vector (non-temporal)"},
    {"movnt", "a value (non-temporal)"},
    {"vmovap", "a vector"},
    {"vmovup", "a vector"},
    {"vmovdq", "a vector"},
    {"vmovsh", "a scalar"},
    {"vmovss", "a scalar"},
    {"vmovsd", "a scalar"},
    {"vmovd", "a scalar"},
    {"vmovq", "a scalar"},
    {"movap", "a vector"},
    {"movup", "a vector"},
    {"movdq", "a vector"},
    {"movss", "a scalar"},
    {"movsd", "a scalar"},
    {"movabs", "a constant"},
    {"movz", "a scalar with zero extension"},
    {"movs", "a scalar with sign extension"},
    {"mov", "a scalar"},
    {"kmov", "a mask of lanes"},
    {"ldp", "a pair of registers"},
    {"stp", "a pair of registers"},
    {"ldr", "a register"},
    {"ldur", "a register"},
    {"str", "a register"},
    {"stur", "a register"},
    {"ld1", "a vector"},
    {"st1", "a vector"},
};

constexpr Words kSentences[] = {
    {"vfmadd", "Multiplies two vectors and adds a third one, with one rounding."},
    {"vfnmadd", "Subtracts the product of two vectors from a third one, with one rounding."},
    {"vfmsub", "Multiplies two vectors and subtracts a third one, with one rounding."},
    {"fmla", "Multiplies two vectors and adds the product to a third one, with one rounding."},
    {"fmls", "Subtracts the product of two vectors from a third one, with one rounding."},
    {"fmadd", "Multiplies two scalars and adds a third one, with one rounding."},
    {"vbroadcast", "Copies one value into all lanes of a vector."},
    {"vpbroadcast", "Copies one value into all lanes of a vector."},
    {"dup", "Copies one value into all lanes of a vector."},
    {"vpdpbusd", "Multiplies bytes in groups of four and adds their products to sums of 32 bits."},
    {"vpdpwssd", "Multiplies pairs of 16 bits and adds their products to sums of 32 bits."},
    {"vdpbf16ps", "Multiplies pairs of bf16 and adds their products to sums of f32."},
    {"sdot", "Multiplies signed bytes in groups of four and adds their products."},
    {"udot", "Multiplies bytes in groups of four and adds their products."},
    {"tdp", "Multiplies two tiles and adds their products to a third one."},
    {"tileload", "Loads a tile from memory, row by row."},
    {"tilestore", "Stores a tile in memory, row by row."},
    {"tilezero", "Sets all elements of a tile to zero."},
    {"vaddp", "Adds two vectors, lane by lane."},
    {"vadds", "Adds two scalars."},
    {"vsubp", "Subtracts one vector from another, lane by lane."},
    {"vsubs", "Subtracts one scalar from another."},
    {"vmulp", "Multiplies two vectors, lane by lane."},
    {"vmuls", "Multiplies two scalars."},
    {"vdivp", "Divides one vector by another, lane by lane."},
    {"vdivs", "Divides one scalar by another."},
    {"vsqrt", "Takes square roots."},
    {"vmaxp", "Takes the larger of two values, lane by lane."},
    {"vmaxs", "Takes the larger of two scalars."},
    {"vminp", "Takes the smaller of two values, lane by lane."},
    {"vmins", "Takes the smaller of two scalars."},
    {"vxorp", "Combines bits by exclusive or; of a register with itself: sets it to zero."},
    {"vpxor", "Combines bits by exclusive or; of a register with itself: sets it to zero."},
    {"xor", "Combines bits by exclusive or; of a register with itself: sets it to zero."},
    {"vandp", "Keeps the bits that both vectors have."},
    {"vpand", "Keeps the bits that both vectors have."},
    {"vorp", "Combines the bits of two vectors."},
    {"vpor", "Combines the bits of two vectors."},
    {"vpternlog", "Combines the bits of three vectors by a table."},
    {"vblend", "Takes each lane from one of two vectors, selected by a mask."},
    {"vpblend", "Takes each lane from one of two vectors, selected by a mask."},
    {"vcmp", "Compares two vectors lane by lane; the result is a mask."},
    {"vpcmp", "Compares two vectors lane by lane; the result is a mask."},
    {"vucomis", "Compares two scalars and sets the flags."},
    {"vcomis", "Compares two scalars and sets the flags."},
    {"vround", "Rounds to integers."},
    {"vrndscale", "Rounds to integers."},
    {"vcvt", "Converts values to another type."},
    {"vpmovzx", "Zero-extends integers."},
    {"vpmovsx", "Sign-extends integers."},
    {"vpadd", "Adds integers lane by lane."},
    {"vpsub", "Subtracts integers lane by lane."},
    {"vpmul", "Multiplies integers lane by lane."},
    {"vpmadd", "Multiplies integers and adds neighbouring products."},
    {"vpmax", "Takes the larger of two integers, lane by lane."},
    {"vpmin", "Takes the smaller of two integers, lane by lane."},
    {"vpsll", "Shifts integers to the left, lane by lane."},
    {"vpsr", "Shifts integers to the right, lane by lane."},
    {"vperm", "Permutes lanes of a vector."},
    {"vshuf", "Permutes lanes of vectors."},
    {"vpshuf", "Permutes lanes of a vector."},
    {"vunpck", "Interleaves lanes of two vectors."},
    {"vpunpck", "Interleaves lanes of two vectors."},
    {"vextract", "Takes a part of a vector."},
    {"vinsert", "Puts a value into a part of a vector."},
    {"vgather", "Loads each lane from an address of its own."},
    {"vhadd", "Adds neighbouring lanes."},
    {"vzeroupper", "Clears the upper parts of vector registers, so that older code runs fast."},
    {"prefetcht", "Prefetches a cache line."},
    {"prefetchnta", "Prefetches a cache line."},
    {"prefetchw", "Prefetches a cache line to be written."},
    {"prfm", "Prefetches a cache line."},
    {"lea", "Computes an address, without reading memory."},
    {"adrp", "Computes the address of a page."},
    {"imul", "Multiplies integers."},
    {"idiv", "Divides integers."},
    {"add", "Adds integers."},
    {"sub", "Subtracts integers."},
    {"inc", "Adds one."},
    {"dec", "Subtracts one."},
    {"neg", "Changes the sign of an integer."},
    {"and", "Keeps the bits that both values have."},
    {"or", "Combines the bits of two values."},
    {"shl", "Shifts bits to the left."},
    {"sal", "Shifts bits to the left."},
    {"shr", "Shifts bits to the right."},
    {"sar", "Shifts bits to the right and keeps the sign."},
    {"cmp", "Compares two integers and sets the flags."},
    {"test", "Combines two values by and, and sets the flags."},
    {"cmov", "Copies a value if a condition of the flags holds."},
    {"set", "Writes 1 if a condition of the flags holds, else 0."},
    {"push", "Pushes a register on the stack."},
    {"pop", "Pops a register from the stack."},
    {"popcnt", "Counts the bits that are one."},
    {"lzcnt", "Counts the zeros before the first bit that is one."},
    {"tzcnt", "Counts the zeros behind the last bit that is one."},
    {"vmovddup", "Copies each even lane over the odd one beside it."},
    {"vmovsldup", "Copies each even lane over the odd one beside it."},
    {"vmovshdup", "Copies each odd lane over the even one beside it."},
    {"vmovmsk", "Gathers the signs of a vector's lanes as bits."},
    {"vpmovmsk", "Gathers the signs of a vector's bytes as bits."},
    {"cqto", "Sign-extends an integer, for a division."},
    {"nop", "Does nothing: it aligns what follows."},
    {"jmp", "Jumps to a label."},
    {"call", "Calls a function."},
    {"ret", "Returns to the caller."},
};

std::string_view find(std::span<Words const> rows, std::string_view name) {
  Words const* best = nullptr;
  for (Words const& row : rows)
    if (name.starts_with(row.begin) && (!best || row.begin.size() > best->begin.size()))
      best = &row;
  return best ? best->words : std::string_view();
}

std::string what_it_does(InstructionFacts const& facts) {
  if (std::string_view words = find(kSentences, facts.name); !words.empty())
    return std::string(words);
  if (std::string_view what = find(kMoved, facts.name); !what.empty()) {
    if (facts.loads) return fmt::format("Loads {} from memory.", what);
    if (facts.stores) return fmt::format("Stores {} in memory.", what);
    return fmt::format("Copies {}.", what);
  }
  if (facts.branches) return "Jumps if a condition of the flags holds, else falls through.";
  if (facts.calls) return "Calls a function.";
  if (facts.returns) return "Returns to the caller.";
  if (facts.loads) return "Computes with a value from memory.";
  return facts.stores ? "Writes memory." : "Computes with registers.";
}

std::string what_it_touches(InstructionFacts const& facts) {
  std::vector<std::string> parts;
  if (!facts.reads.empty()) parts.push_back(fmt::format("reads {}", fmt::join(facts.reads, ", ")));
  if (facts.loads) parts.push_back("reads memory");
  if (!facts.writes.empty())
    parts.push_back(fmt::format("writes {}", fmt::join(facts.writes, ", ")));
  if (facts.stores) parts.push_back("writes memory");
  if (parts.empty()) return "";
  std::string all = fmt::format("{}.", fmt::join(parts, "; "));
  all[0] = char(std::toupper(static_cast<unsigned char>(all[0])));
  return all;
}

std::string what_it_costs(InstructionFacts const& facts) {
  if (facts.operations == 0) return "The processor's model has no cost for it.";
  std::string text = fmt::format("Modelled: {}", count_text(facts.operations, "micro-operation"));
  if (facts.latency > 0)
    text += fmt::format(", its result after {}", count_text(facts.latency, "cycle"));
  if (facts.interval > 0)
    text += fmt::format(", one can begin every {:.3g} cycles", facts.interval);
  return text + ".";
}

}  // namespace

std::string explanation_of(InstructionFacts const& facts) {
  std::string text = what_it_does(facts);
  for (std::string const& more : {what_it_touches(facts), what_it_costs(facts)})
    if (!more.empty()) text += "\n" + more;
  return text;
}

}  // namespace tw::session
