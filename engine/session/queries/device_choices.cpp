// The devices besides the one in use, asked what they are.
#include <future>

#include "engine/device/registry.h"
#include "engine/session/kinds.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/state/query_keys.h"

namespace tw::session {
namespace query_device_choices {

struct Choices {
  using Asked = AskedNothing;
  using View = std::vector<DeviceChoice>;
  struct Key {
    std::string here, kind;  ///< of the device in use
    uint64_t asked = 0;      ///< devices change, and only a person knows when
    Options const* options = nullptr;
    bool operator==(Key const&) const = default;
  };
  static std::optional<Key> key(Seen const& seen, Asked const&) {
    return Key{seen.state.here.device, seen.state.kind, seen.devices_asked, &seen.options};
  }
  static View make(Key const& key, StopToken stop);
};

DeviceChoice choice_of(std::string const& name, Choices::Key const& key, StopToken stop) {
  DeviceChoice choice{.name = name, .machine = {}, .same_kind = false, .trouble = {}};
  auto opened = open_device(*key.options, name, stop);
  if (!opened) {
    choice.trouble = to_sentence(opened.error());
    return choice;
  }
  choice.machine = machine_words(*opened->backend);
  choice.same_kind = kind_text(opened->backend->target().hardware) == key.kind;
  return choice;
}

/// All at once: one that does not answer takes a while.
std::vector<DeviceChoice> Choices::make(Key const& key, StopToken stop) {
  std::vector<std::future<DeviceChoice>> asked;
  for (std::string const& name : known_devices(*key.options))
    if (name != key.here && !(is_this_machine(name) && is_this_machine(key.here)))
      asked.push_back(std::async(std::launch::async,
                                 [&key, name, stop] { return choice_of(name, key, stop); }));
  std::vector<DeviceChoice> choices;
  for (auto& one : asked) choices.push_back(one.get());
  return choices;
}

QueryRow const& row() {
  static QueryRow const row = query_row<Choices>(
      {.name = "devices", .title = "querying the devices", .lane = QueryLane::kDevices, .kept = 1});
  return row;
}

}  // namespace query_device_choices

std::shared_ptr<std::vector<DeviceChoice> const> Session::device_choices(bool again) {
  if (again) parts_->cell.commit([](State& now) { ++now.devices_asked; });
  return answer_of<query_device_choices::Choices>(*this, query_device_choices::row(), {});
}

}  // namespace tw::session
