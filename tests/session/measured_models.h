/// Models measured kernel by kernel, and how near each kernel comes to its roof.
#pragma once

#include <QtTest>

#include "app/shared/environment.h"
#include "engine/session/model/kernel_roofs.h"
#include "engine/session/model/loaded_model.h"

namespace tw::testing {

struct KernelShare {
  std::string kernel;
  double ms = 0;
  session::KernelRoofView roof;
  double share() const { return roof.ms / ms; }  ///< not cut off at any limit
};

/// Of every kernel whose time is known.
inline std::vector<KernelShare> shares_of(session::LoadedModel const& model,
                                          std::map<std::string, double> const& kernel_ms,
                                          session::MachineView const& machine, int threads) {
  std::vector<KernelShare> shares;
  for (int row = 0; row < int(model.plan.kernels.size()); ++row) {
    auto ms = kernel_ms.find(model.kernel(row).name);
    if (ms == kernel_ms.end() || ms->second <= 0) continue;
    auto plain = session::plain_program(model, row).value();
    auto roof = session::roof_view(session::needs_of(model, row, plain), machine, threads);
    if (roof) shares.push_back({ms->first, ms->second, *roof});
  }
  return shares;
}

inline std::string words_of(std::string const& model, int threads, KernelShare const& share) {
  return QString("%1, %2: %3 of %4 in %5 ms, on %6 core(s)")
      .arg(QString::fromStdString(model), QString::fromStdString(share.kernel))
      .arg(share.share(), 0, 'f', 3)
      .arg(QString::fromStdString(share.roof.words))
      .arg(share.ms)
      .arg(threads)
      .toStdString();
}

}  // namespace tw::testing
