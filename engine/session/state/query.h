/// A query is a view that is derived of what a session holds: a file of `queries/` says by which
/// key it is made, and how. A key holds all that the making may see, so that nothing is ever made
/// wrong by what comes later; it is only asked for no more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "engine/backend/backend.h"
#include "engine/session/session.h"
#include "engine/session/state/session_state.h"
#include "engine/support/base/job.h"

namespace tw::session {

/// What keys are made of: a key copies what it needs, in
/// microseconds.
struct Seen {
  State const& state;
  std::shared_ptr<Backend const> backend;
  Options const& options;  ///< they outlive what is made
  uint64_t devices_asked;  ///< how often somebody wanted to know anew what the devices are
};

/// Where a view is made: on one of these threads, of which none waits for another; or at once, by
/// who asks.
enum class QueryLane : uint8_t {
  kSimulation,
  kPointed,
  kMemory,
  kThings,
  kValues,
  kCode,
  kReports,  ///< of what is said of code: no text waits for it, and it rests while kernels are
             ///< timed
  kDevices,  ///< which may not answer for long
  kCaller,
};
constexpr int kQueryThreads = int(QueryLane::kCaller);

class QueryKey {
public:
  virtual ~QueryKey() = default;
  virtual bool is(QueryKey const& other) const = 0;  ///< of the same query
};
using QueryKeyPtr = std::shared_ptr<QueryKey const>;
using QueryValue = std::shared_ptr<void const>;

/// What is known at once; not `whole`: it is made further on the query's thread.
struct QueryPart {
  QueryValue value = {};
  bool whole = false;
};

/// Where one view is made, and when: of those of one word only the last one that was asked for.
struct QueryTurn {
  QueryLane lane = QueryLane::kMemory;
  std::string among = {};
};

struct QueryRow;
/// What a view is made with.
struct Making {
  StopToken stop = {};
  /// Shown until the whole is there.
  std::function<void(QueryValue)> part = {};
  /// Another view, made here if nobody has made it: it is not stopped, and kept.
  std::function<QueryValue(QueryRow const&, QueryKeyPtr const&)> need = {};
};

struct QueryRow {
  std::string name;
  std::string title;  ///< of its jobs: "simulating"
  QueryLane lane = QueryLane::kMemory;
  size_t kept = 4;     ///< views; the one that nobody asked for longest is forgotten
  bool latest = true;  ///< only the last one that was asked for is still made
  /// Null: there is nothing to make it of.
  std::function<QueryKeyPtr(Seen const&, void const* asked)> key = {};
  std::function<QueryTurn(QueryKey const&)> turn = {};  ///< null: as `lane` and `latest` say
  /// False: what has begun is whole in the end, and kept, whether or not somebody waits for it.
  bool stops = true;
  std::function<QueryPart(QueryKey const&)> begin = {};  ///< null: nothing is known at once
  /// Null: it was given up.
  std::function<QueryValue(QueryKey const&, Making const&)> make = {};
};
std::span<QueryRow const* const> query_table();

template <typename Key>
class KeyOf final : public QueryKey {
public:
  explicit KeyOf(Key value) : value_(std::move(value)) {}
  bool is(QueryKey const& other) const override {
    return value_ == static_cast<KeyOf const&>(other).value_;
  }
  Key const& value() const { return value_; }

private:
  Key value_;
};
template <typename Key>
QueryKeyPtr key_of(Key key) {
  return std::make_shared<KeyOf<Key> const>(std::move(key));
}

/// The row of a query that is written as a struct with types Asked, Key and View and functions
///   static std::optional<Key> key(Seen const&, Asked const&);
///   static View make(Key const&, StopToken);
/// `make` may take a `Making` instead, and may give a pointer to its view, null where it gave up.
/// Where something is known at once: `static QueryPart begin(Key const&)`. Where not all views are
/// made in one place and one after the other: `static QueryTurn turn(Key const&)`.
template <typename Query>
QueryRow query_row(QueryRow row) {
  using Key = typename Query::Key;
  auto value_of = [](QueryKey const& key) -> Key const& {
    return static_cast<KeyOf<Key> const&>(key).value();
  };
  row.key = [](Seen const& seen, void const* asked) -> QueryKeyPtr {
    auto key = Query::key(seen, *static_cast<typename Query::Asked const*>(asked));
    return key ? key_of(*std::move(key)) : nullptr;
  };
  if constexpr (requires(Key const& key) { Query::begin(key); })
    row.begin = [value_of](QueryKey const& key) { return Query::begin(value_of(key)); };
  if constexpr (requires(Key const& key) { Query::turn(key); })
    row.turn = [value_of](QueryKey const& key) { return Query::turn(value_of(key)); };
  row.make = [value_of](QueryKey const& key, Making const& with) -> QueryValue {
    auto made = [&] {
      if constexpr (requires { Query::make(value_of(key), with); })
        return Query::make(value_of(key), with);
      else
        return Query::make(value_of(key), with.stop);
    }();
    if constexpr (std::is_convertible_v<decltype(made), QueryValue>)
      return made;
    else
      return std::make_shared<typename Query::View const>(std::move(made));
  };
  return row;
}

/// What a session answers: null, not there yet, the listener is called when it is; or there is
/// nothing to make it of.
template <typename Query>
std::shared_ptr<typename Query::View const> answer_of(Session& session, QueryRow const& row,
                                                      typename Query::Asked const& asked) {
  return std::static_pointer_cast<typename Query::View const>(session.answer(row, &asked));
}

}  // namespace tw::session
