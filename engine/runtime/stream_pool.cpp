#include "engine/runtime/stream_pool.h"

namespace tw {

StreamPool::~StreamPool() {
  for (TwEvent event : events_)
    if (event != nullptr) processor_.destroy(event);
  for (TwStream stream : streams_)
    if (stream != nullptr) processor_.destroy(stream);
}

Result<TwStream> StreamPool::stream(uint32_t number) {
  if (number >= kMostStreams)
    return bad_input("too_many_streams", "a kernel may use " + std::to_string(kMostStreams) +
                                             " streams beside its own, and asked for number " +
                                             std::to_string(number));
  if (number >= streams_.size()) streams_.resize(number + 1);
  if (streams_[number] == nullptr) {
    TRY_ASSIGN(streams_[number], processor_.create_stream());
  }
  return streams_[number];
}

Result<TwEvent> StreamPool::event(uint32_t number) {
  if (number >= kMostEvents)
    return bad_input("too_many_events", "there are " + std::to_string(kMostEvents) +
                                            " events, and number " + std::to_string(number) +
                                            " was asked for");
  if (number >= events_.size()) events_.resize(number + 1);
  if (events_[number] == nullptr) {
    TRY_ASSIGN(events_[number], processor_.create_event());
  }
  return events_[number];
}

}  // namespace tw
