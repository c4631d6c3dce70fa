/// What the parts of a machine do, cycle by cycle: recorded by a simulator or computed by a model,
/// shown by who knows nothing of the machine. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw {

struct Timeline {
  /// A row of the picture: a module, a port.
  struct Lane {
    std::string name;    ///< "Compute"
    double share = 1.5;  ///< of the height that all lanes have beyond their least; 0: it stays thin
  };
  /// What is done in a lane, for the legend and the colour: one hue each, hatched or not.
  struct Kind {
    std::string name;  ///< "GEMM"
    std::string hue;   ///< a word of the theme: "amber", "sky", "mint", "violet", "olive", "grey"
    bool hatched = false;
    bool stall = false;   ///< nothing is done: `letter` says why
    std::string letter;   ///< of a stall: "R" data not there, "W" buffer in use, "D" DRAM busy, "Q"
    std::string meaning;  ///< a few words for people
  };
  /// Cycles [begin, end) of a lane.
  struct Span {
    int32_t lane = 0, kind = 0;
    int64_t begin = 0, end = 0;
    int32_t instruction = -1;  ///< index into `instructions`; of a stall: the one that waits
  };
  /// From the end of one span to the begin of the one that waited for it.
  struct Token {
    int32_t queue = 0;
    int64_t pushed = 0, popped = 0;  ///< cycles
    int32_t from = -1, to = -1;      ///< instructions
  };
  /// A number that changes: tokens in a queue, bytes in use of a memory.
  struct Counter {
    std::string name, unit;  ///< "load -> compute", "tokens"; "weights", "bytes"
    int64_t capacity = 0;    ///< 0: none
    bool of_memory = false;
    std::vector<std::pair<int64_t, int64_t>> steps;  ///< (cycle, value from then on)
  };
  /// Part of a memory that an instruction wrote or read, in elements of it.
  struct Touch {
    int32_t counter = 0;  ///< a memory's, of `counters`
    int32_t instruction = 0;
    int64_t begin = 0, end = 0;
    bool write = false;
    bool operator==(Touch const&) const = default;
  };
  struct Instruction {
    std::string text;  ///< as it is written
    int32_t lane = 0;
    int32_t line = 0;  ///< of the lowered kernel, from 1; 0: none
  };

  /// What a prover has against the instructions: a race, a token that is left over.
  struct Finding {
    std::string code, sentence;
    std::vector<int32_t> instructions;  ///< that it is about
  };

  /// A stretch that is like the one before it, and is not shown: `cycles` of it at `at`.
  struct Cut {
    int64_t at = 0, cycles = 0;
    std::string words;  ///< "112 more turns of k0"
  };

  double clock_mhz = 0;
  int64_t cycles = 0;     ///< that are shown, without what is cut out
  bool modelled = false;  ///< times follow from rates of a description; else from a simulator
  std::string sentence;   ///< what holds the run up, and what would lift it; empty: nobody says
  std::vector<Cut> cuts;  ///< by time
  std::string verdict;    ///< one line: "no race, no deadlock: proved for 41 instructions"
  bool proven = false;    ///< that the result is the same whatever the parts' speeds
  std::vector<Finding> findings;
  std::vector<Lane> lanes;
  std::vector<Kind> kinds;
  std::vector<Span> spans;  ///< of each lane by time
  std::vector<Token> tokens;
  std::vector<Counter> counters;
  std::vector<Touch> touches;
  std::vector<Instruction> instructions;
};

}  // namespace tw
