// The open model against another one: read when somebody compares.
#include <algorithm>

#include "engine/session/graph_difference.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 4;

GraphDifference compared(LoadedModel const& model, std::string const& other, Backend const& backend,
                         StopToken stop) {
  if (other.empty()) return difference_by_passes(model);
  auto read = load_model(other, {}, backend, stop);
  if (!read) return GraphDifference{.failure = to_sentence(read.error())};
  return difference_of(model, **read);
}

}  // namespace

std::shared_ptr<GraphDifference const> SessionImpl::graph_difference(std::string const& other) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  Model model = state_.model;
  if (!model) return nullptr;
  auto& made = looked_.differences;
  if (made.model != model) made = {model, {}};
  for (auto const& one : made.all)
    if (one.of == other) return one.view;
  std::erase_if(made.all, [](auto const& one) { return !one.view; });
  if (made.all.size() >= kKept) made.all.erase(made.all.begin());
  made.all.push_back({other, nullptr});
  inspect_jobs_.start("difference", "comparing graphs",
                      [this, other, model, backend](StopToken stop, Progress const&) {
                        auto view = std::make_shared<GraphDifference const>(
                            compared(*model, other, *backend, stop));
                        {
                          std::lock_guard guard(mutex_);
                          if (looked_.differences.model != model) return;
                          auto& all = looked_.differences.all;
                          if (stop.stop_requested())
                            std::erase_if(all, [&](auto const& one) { return one.of == other; });
                          for (auto& one : all)
                            if (one.of == other) one.view = view;
                        }
                        notify();
                      });
  return nullptr;
}

std::shared_ptr<GraphDifference const> graph_difference(Session& session,
                                                        std::string const& other) {
  return static_cast<SessionImpl&>(session).graph_difference(other);
}

}  // namespace tw::session
