/// What the proof of a launch's order says of a kernel that is written as text.
#pragma once

#include <QtGlobal>

#include "engine/ir/kernel.h"
#include "engine/lowering/launch_order.h"
#include "tests/support/thread_machine.h"

namespace tw::testing {

inline std::string said(LaunchOrder const& order) {
  std::string all = order.undecided;
  for (LaunchFault const& fault : order.faults) all += fault.code + ": " + fault.sentence + "\n";
  return all;
}

inline ir::KernelIr launches_of(std::string const& text) {
  auto kernel = ir::parse_kernel(text);
  if (!kernel) qFatal("%s\n%s", to_sentence(kernel.error()).c_str(), text.c_str());
  return *kernel;
}

/// On the made-up machine of threads.
inline LaunchOrder order_of(std::string const& text) {
  return launch_order(*thread_machine(), launches_of(text));
}

}  // namespace tw::testing
