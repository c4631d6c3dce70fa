/// The session's state: a value that is read as it is, and changed by one edit at a time.
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "engine/session/state/session_state.h"

namespace tw::session {

/// Who reads has a state of one version and holds nobody up; it stays as it is for as long as it is
/// looked at. An edit is done on a copy (histories and views are shared), so that a reader never
/// waits for it.
class StateCell {
public:
  using Pointer = std::shared_ptr<State const>;
  explicit StateCell(State first) : now_(std::make_shared<State const>(std::move(first))) {}

  Pointer read() const {
    std::lock_guard lock(reading_);
    return now_;
  }

  /// What `edit` returns says whether its copy becomes the state: not if that is false, or an
  /// error. It begins no other edit.
  template <typename Edit>
  auto commit(Edit&& edit) -> std::invoke_result_t<Edit, State&> {
    std::lock_guard lock(editing_);
    auto next = std::make_shared<State>(*now_);  // nobody else changes it now
    if constexpr (std::is_void_v<std::invoke_result_t<Edit, State&>>) {
      edit(*next);
      put(std::move(next));
    } else {
      auto result = edit(*next);
      if (result) put(std::move(next));
      return result;
    }
  }

private:
  void put(std::shared_ptr<State> next) {
    next->version = now_->version + 1;
    Pointer last = std::move(next);
    std::lock_guard lock(reading_);
    std::swap(now_, last);
  }

  std::mutex editing_;
  mutable std::mutex reading_;
  Pointer now_;
};

}  // namespace tw::session
