/// A journal played in a session alone.
#pragma once

#include "app/shared/journal/player.h"

namespace tw {

/// What a person has chosen in the session's views is kept here, as a window keeps it.
class SessionStage final : public journal::Stage {
public:
  explicit SessionStage(session::Session& session);

  bool has_window() const override { return false; }
  Status perform(journal::Action const& action) override;
  bool settle(double seconds) override;
  session::Snapshot snapshot() const override { return session_.snapshot(); }
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::string said() const override { return {}; }

private:
  Status run(journal::Action const& action);
  Result<int> loop_called(std::string const& reference) const;
  void follow();

  session::Session& session_;
  session::Snapshot seen_;
  session::ChosenLoops chosen_;
  std::string trouble_;  ///< with the last action; empty: none
};

}  // namespace tw
