// What there is to tune, and on what: found out on threads of their own, since nobody may wait.
#include <fmt/format.h>

#include <future>

#include "engine/device/registry.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/session_impl.h"
#include "engine/tuner/knobs_by_rule.h"

namespace tw::session {
namespace {

TuningSpace space_of(std::vector<Knob> const& knobs) {
  TuningSpace space;
  for (Knob const& knob : knobs)
    if (knob.values.size() > 1)
      space.knobs.push_back({knob.name, int(knob.values.size()), knob.value()});
  return space;
}

}  // namespace

std::shared_ptr<TuningSpace const> SessionImpl::tuning_space(int from) {
  Model model;
  int kernel = -1;
  {
    std::lock_guard lock(mutex_);
    AskedSpaces& known = asked_spaces_;
    if (known.model != state_.model || known.kernel != state_.kernel || known.backend != backend())
      known = {state_.model, state_.kernel, backend(), {}};
    auto [asked, is_new] = known.by_step.try_emplace(from);
    if (!is_new) return asked->second;
    model = state_.model;
    kernel = state_.kernel;
  }
  code_jobs_.start(fmt::format("space of {}", from), "loading knobs",
                   [this, from, model, kernel](StopToken stop, Progress const&) {
                     find_space(from, model, kernel, stop);
                   });
  return nullptr;
}

void SessionImpl::find_space(int from, Model const& model, int kernel, StopToken stop) {
  std::optional<ir::Program> plain;
  std::shared_ptr<OpenScript const> script;
  TuningSpace space;
  {
    std::lock_guard lock(mutex_);
    auto opened = open_script(from);
    if (!opened) space.error = to_sentence(opened.error());
    if (!state_.has_kernel()) space.error = "no kernel is selected";
    if (space.error.empty()) {
      script = *opened;
      plain = state_.now().history.node(0).schedule.program();
      if (from > 0) space.of = state_.now().history.node(from).label;
    }
  }
  if (plain) {
    auto backend = this->backend();
    int threads = options_.threads > 0 ? options_.threads : backend->target().hardware.unit().count;
    auto knobs = knobs_by_rule(*plain, *backend, script.get(), threads);
    if (knobs) space.knobs = space_of(*knobs).knobs;
    if (!knobs) space.error = to_sentence(knobs.error());
  }
  space.from = from;
  {
    std::lock_guard lock(mutex_);
    AskedSpaces& asked = asked_spaces_;
    if (stop.stop_requested() || asked.model != model || asked.kernel != kernel) return;
    asked.by_step[from] = std::make_shared<TuningSpace const>(std::move(space));
  }
  notify();
}

std::shared_ptr<std::vector<DeviceChoice> const> SessionImpl::device_choices(bool again) {
  std::string here;
  {
    std::lock_guard lock(mutex_);
    here = state_.here.device;
    if (!again && asked_devices_.asked && asked_devices_.here == here)
      return asked_devices_.choices;
    asked_devices_ = {here, true, nullptr};
  }
  ask_jobs_.start("devices", "querying the devices",
                  [this, here](StopToken stop, Progress const&) { ask_devices(here, stop); });
  return nullptr;
}

/// All at once: one that does not answer takes a while.
void SessionImpl::ask_devices(std::string const& here, StopToken stop) {
  std::string const mine = kind_text(backend()->target().hardware);
  std::vector<std::future<DeviceChoice>> asked;
  for (std::string const& name : devices()) {
    if (name == here || (is_this_machine(name) && is_this_machine(here))) continue;
    asked.push_back(std::async(std::launch::async, [this, name, stop, &mine] {
      DeviceChoice choice{.name = name};
      auto opened = open_device(name, stop);
      if (!opened) {
        choice.trouble = to_sentence(opened.error());
        return choice;
      }
      choice.machine = machine_words(*opened->backend);
      choice.same_kind = kind_text(opened->backend->target().hardware) == mine;
      return choice;
    }));
  }
  std::vector<DeviceChoice> choices;
  for (auto& one : asked) choices.push_back(one.get());
  {
    std::lock_guard lock(mutex_);
    if (stop.stop_requested() || asked_devices_.here != here) return;
    asked_devices_.choices = std::make_shared<std::vector<DeviceChoice> const>(std::move(choices));
  }
  notify();
}

}  // namespace tw::session
