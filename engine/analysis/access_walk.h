/// The accesses of a program in the order in which it runs, one block instance after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/program.h"

namespace tw::analysis {

/// One load or store of one element.
struct WalkedAccess {
  int tensor = 0;       ///< of `AccessWalk::tensors()`
  int64_t element = 0;  ///< row major
  bool writes = false;
};
/// An instance of a block that ran.
struct WalkedInstance {
  std::span<int32_t const> loops;  ///< the value of each loop; -1: it is not around
  std::span<WalkedAccess const> accesses;
  int64_t number = 0;      ///< of the instance, those that a guard skips counted too
  bool first_lane = true;  ///< no vector loop around it is past its first iteration
};

/// Loops count as serial: parallel ones are gone through as one unit would. Elements outside of
/// their tensors, which a choice skips, are left out, and so are accesses whose index is data. A
/// choice by data takes both sides.
class AccessWalk {
public:
  explicit AccessWalk(ir::Program const& program);
  ~AccessWalk();

  std::vector<ir::Buffer> const& tensors() const;
  std::vector<ir::For const*> const& loops() const;
  /// Accesses left out because their index is data, by the tensor's name.
  std::vector<std::string> const& unknown() const;
  /// By name, with the number of its first instance.
  std::vector<std::pair<std::string, int64_t>> const& blocks() const;
  /// Block instances, those that a guard skips included; 0 where a size is not constant.
  int64_t instances() const;
  /// From that instance on, until `visit` answers false.
  void run(int64_t from, std::function<bool(WalkedInstance const&)> const& visit);

private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace tw::analysis
