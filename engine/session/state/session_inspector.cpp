// What one thing of the model is: made when somebody looks at it.
#include <algorithm>

#include "engine/session/model/inspection.h"
#include "engine/session/model/named_tensors.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 16;  // one goes back and forth between neighbours

}  // namespace

template <typename View, typename Of, typename Make>
std::shared_ptr<View const> SessionImpl::made_of_model(AskedOfModel<View, Of>& made, Of const& of,
                                                       Jobs& jobs, char const* job, Make make) {
  std::lock_guard lock(mutex_);
  Model model = state_.model;
  if (!model) return nullptr;
  if (made.model != model) made = {model, {}};
  auto known = std::ranges::find(made.all, of, &AskedOfModel<View, Of>::One::of);
  if (known != made.all.end()) return known->view;
  std::erase_if(made.all, [](auto const& one) { return !one.view; });
  if (made.all.size() >= kKept) made.all.erase(made.all.begin());
  made.all.push_back({of, nullptr});
  jobs.start(job, job, [this, &made, of, make, model](StopToken stop, Progress const&) {
    auto view = std::make_shared<View const>(make(*model, stop));
    if (stop.stop_requested()) return;
    {
      std::lock_guard guard(mutex_);
      if (made.model == model)
        for (auto& one : made.all)
          if (one.of == of) one.view = view;
    }
    notify();
  });
  return nullptr;
}

std::shared_ptr<InspectorView const> SessionImpl::inspected(Inspected const& what) {
  return made_of_model(
      looked_.inspected, what, inspect_jobs_, "inspected",
      [what](LoadedModel const& model, StopToken) {
        auto view = inspector_view(model, what);
        return view ? *view : InspectorView{.of = what, .failure = to_sentence(view.error())};
      });
}

std::shared_ptr<ValueStatistics const> SessionImpl::statistics(std::string const& tensor) {
  return made_of_model(looked_.statistics, tensor, value_jobs_, "values",
                       [tensor](LoadedModel const& model, StopToken stop) {
                         auto values = tensor_statistics(model, tensor, stop);
                         return values ? *values
                                       : ValueStatistics{.tensor = tensor,
                                                         .failure = to_sentence(values.error())};
                       });
}

Status SessionImpl::check_inspected(Inspected const& what) const {
  Model model;
  {
    std::lock_guard lock(mutex_);
    model = state_.model;
  }
  if (!model) return bad_input("no_model", "no model is open");
  return session::check_inspected(*model, what);
}

/// At once: a graph of ten thousand nodes takes a few milliseconds, once.
std::shared_ptr<GraphTensors const> SessionImpl::named_tensors() {
  Model model;
  std::shared_ptr<GraphView const> graph;
  {
    std::lock_guard lock(mutex_);
    model = state_.model;
    graph = state_.graph;
    if (!model || !graph) return nullptr;
    if (looked_.tensors.model == model) return looked_.tensors.view;
  }
  auto view = std::make_shared<GraphTensors const>(session::named_tensors(*model, *graph));
  std::lock_guard lock(mutex_);
  looked_.tensors = {model, view};
  return view;
}

Status can_inspect(Session& session, Inspected const& what) {
  return static_cast<SessionImpl&>(session).check_inspected(what);
}
std::shared_ptr<InspectorView const> inspect(Session& session, Inspected const& what) {
  return static_cast<SessionImpl&>(session).inspected(what);
}
std::shared_ptr<GraphTensors const> graph_tensors(Session& session) {
  return static_cast<SessionImpl&>(session).named_tensors();
}
std::shared_ptr<ValueStatistics const> value_statistics(Session& session,
                                                        std::string const& tensor) {
  return static_cast<SessionImpl&>(session).statistics(tensor);
}

}  // namespace tw::session
