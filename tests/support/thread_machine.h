/// A made-up machine of blocks and threads, for programs that no target here runs: what is lowered
/// for it is interpreted.
#pragma once

#include "engine/ir/interpreter.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_call.h"
#include "engine/lowering/passes.h"
#include "engine/target/target.h"

namespace tw::testing {

/// Sixteen bytes from main memory to a block's, while others compute.
inline TensorIntrinsic copy_async() {
  ir::IntrinsicNode node = *ir::parse_intrinsic(
                                "intrinsic copy_async(write to: f32[4] @shared, read from: f32[4] "
                                "@global) async\n"
                                "  for i in 4\n"
                                "    to[i] = from[i]\n")
                                .value();
  node.doc = "sixteen bytes that come while others compute";
  return {ir::declare(std::move(node)).value(), {1, 1}};
}

/// What takes the word of a barrier with phases, and a number where one is named.
inline ir::Intrinsic phase_call(char const* name, ir::Completion completion,
                                char const* number = nullptr) {
  ir::IntrinsicNode node{.name = name};
  node.params.push_back(ir::tensor_param(ir::ParamKind::kUpdate,
                                         ir::make_buffer("barrier", DType::kI64, {1}, "shared")));
  if (number) node.params.push_back(ir::scalar_param(number));
  node.completion = completion;
  return ir::declare(std::move(node)).value();
}

/// "products", which threads start and wait for by groups.
inline QueueIntrinsics product_queue() {
  constexpr char kName[] = "products";
  ir::Intrinsic commit =
      ir::declare(
          {.name = "commit_products", .completion = ir::Completion::kCommits, .queue = kName})
          .value();
  ir::Intrinsic wait = ir::declare({.name = "wait_products",
                                    .params = {ir::scalar_param("n")},
                                    .completion = ir::Completion::kWaits,
                                    .queue = kName})
                           .value();
  return {kName, std::move(commit), std::move(wait)};
}

inline std::shared_ptr<Target const> thread_machine() {
  static auto const target = std::make_shared<Target const>(Target{
      .name = "threads",
      .hardware = {},
      .scopes = {{.name = kGlobalScope, .doc = "main memory"},
                 {.name = "shared",
                  .doc = "of the threads of a block",
                  .bytes = 48 << 10,
                  .shared_by = Level::kBlock},
                 {.name = "local", .doc = "of one thread", .shared_by = Level::kThread}},
      .axes = {{"threadIdx.x", 64},
               {"threadIdx.y", 64},
               {"threadIdx.z", 8},
               {"blockIdx.x", 1 << 16, Level::kBlock},
               {"blockIdx.y", 1 << 16, Level::kBlock},
               {"blockIdx.z", 1 << 16, Level::kBlock},
               {"vthread", 8, Level::kThread, true, true}},
      .threads_per_block = 256,
      .barrier =
          ir::declare(
              {.name = "sync_threads", .doc = "all threads of the block meet", .barrier = true})
              .value(),
      .commit = ir::declare({.name = "commit_copies",
                             .doc = "the copies that the thread has started are a group",
                             .completion = ir::Completion::kCommits})
                    .value(),
      .wait = ir::declare({.name = "wait_copies",
                           .doc = "until at most n groups of the thread are under way",
                           .params = {ir::scalar_param("n")},
                           .completion = ir::Completion::kWaits})
                  .value(),
      .phases = {.open = phase_call("open_phases", ir::Completion::kOpens, "arrivals"),
                 .arrive = phase_call("arrive", ir::Completion::kArrives),
                 .deliver = phase_call("arrive_with_copies", ir::Completion::kDelivers),
                 .await = phase_call("await_phase", ir::Completion::kAwaits, "phase")},
      .queues = {product_queue()},
      .intrinsics = {copy_async()},
      .annotations = {{"unroll_by", "iterations in each turn of a loop", false, 1, 64},
                      {"nontemporal", "what a block writes passes by the caches", true}}});
  return target;
}

/// The same machine, whose passes share sums among threads.
inline std::shared_ptr<Target const> thread_machine_with_sums() {
  static auto const target = [] {
    Target machine = *thread_machine();
    machine.sums_over_threads = true;
    return std::make_shared<Target const>(std::move(machine));
  }();
  return target;
}

/// The same machine with warps of eight threads, whose sums go by shuffles.
inline std::shared_ptr<Target const> thread_machine_with_shuffles() {
  static auto const target = [] {
    Target machine = *thread_machine_with_sums();
    machine.shuffles.lanes = 8;
    for (DType type : {DType::kF32, DType::kI32, DType::kI64})
      machine.shuffles.calls.push_back(
          ir::declare({.name = "shuffle_" + std::string(to_text(type)),
                       .params = {ir::tensor_param(ir::ParamKind::kWrite,
                                                   ir::make_buffer("to", type, {1}, "")),
                                  ir::tensor_param(ir::ParamKind::kRead,
                                                   ir::make_buffer("from", type, {1}, "")),
                                  ir::scalar_param("lanes"), ir::scalar_param("step")},
                       .completion = ir::Completion::kShuffles})
              .value());
    return std::make_shared<Target const>(std::move(machine));
  }();
  return target;
}

/// A made-up accelerator without threads of its own: its processor runs virtual threads in turns,
/// on memories of its own.
inline std::shared_ptr<Target const> accelerator_machine() {
  static auto const target =
      std::make_shared<Target const>(Target{.name = "accelerator",
                                            .hardware = {},
                                            .scopes = {{.name = kGlobalScope, .doc = "main memory"},
                                                       {.name = "pad",
                                                        .doc = "where operands lie",
                                                        .bytes = 16 << 10,
                                                        .shared_by = Level::kAccelerator},
                                                       {.name = "sums",
                                                        .doc = "where it adds up",
                                                        .bytes = 8 << 10,
                                                        .shared_by = Level::kAccelerator}},
                                            .axes = {{"vthread", 8, Level::kThread, true}}});
  return target;
}

}  // namespace tw::testing
