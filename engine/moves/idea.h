/// A kind of move that may make a program faster: a file of `ideas/` is one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/moves/draft.h"
#include "engine/moves/nest.h"

namespace tw::moves {

/// What ideas look at.
struct Scene {
  Schedule const& schedule;
  Hardware const& hardware;
  std::vector<BlockNest> nests;

  /// Of a vector of what the block computes with; 1: the machine has no vectors.
  int lanes(BlockNest const& nest) const;
  BlockNest const* writer_of(std::string const& tensor) const;
};

/// One or a few steps that are one move.
struct Offer {
  Draft draft;
  std::string about;        ///< the block, or the tensor, that it is for
  std::string effect;       ///< what it does, in a few words: "8 lanes of C.j"
  std::string tensor = {};  ///< that is made, held or stored in another way; empty: none
};
/// Only drafts that are possible are looked at further.
using Offering = std::function<void(Offer)>;

/// Machines that an idea is for.
enum class Machines : uint8_t {
  kAll,
  kVectors,  ///< cores with vectors and caches of their own
  kBlocks,   ///< loops are bound to blocks and to threads
};

struct Idea {
  std::string name;  ///< "vectors"
  Machines machines = Machines::kAll;
  void (*offer)(Scene const& scene, Offering const& offering) = nullptr;
};

/// Written by CMake from the files of `ideas/`.
std::span<Idea const* const> idea_table();

}  // namespace tw::moves
