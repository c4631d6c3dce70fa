// Checksums of messages between machines: each change shows.
#include "engine/device/rpc/frame_checksum.h"

#include <QtTest>

#include "engine/device/rpc/service.pb.h"
#include "engine/support/base/random.h"

using namespace tw;

namespace {

rpc::Frame sealed_frame(size_t bytes, uint64_t seed) {
  Rng rng(seed);
  std::string data(bytes, '\0');
  for (char& one : data) one = char(rng.next());
  rpc::Frame frame;
  frame.set_kind(1);
  frame.set_data(std::move(data));
  seal(frame);
  return frame;
}

}  // namespace

class FrameChecksumTest : public QObject {
  Q_OBJECT
private slots:
  void a_frame_is_intact_until_any_byte_of_it_changes() {
    for (size_t bytes : {0, 1, 7, 8, 9, 64, 1001}) {
      rpc::Frame frame = sealed_frame(bytes, bytes);
      QVERIFY(is_intact(frame));
      for (size_t i = 0; i < bytes; ++i)
        for (int bit = 0; bit < 8; ++bit) {
          rpc::Frame changed = frame;
          (*changed.mutable_data())[i] ^= char(1 << bit);
          QVERIFY2(!is_intact(changed), qPrintable(QString("byte %1 of %2").arg(i).arg(bytes)));
        }
    }
  }

  void what_stands_beside_the_bytes_counts_too() {
    rpc::Frame frame = sealed_frame(20, 1), other_kind = frame, more = frame, longer = frame;
    other_kind.set_kind(3);
    more.set_more(true);
    longer.mutable_data()->push_back('\0');
    QVERIFY(!is_intact(other_kind));
    QVERIFY(!is_intact(more));
    QVERIFY(!is_intact(longer));
  }

  /// Programs of before the checksums speak to these.
  void a_frame_without_a_checksum_is_believed() {
    rpc::Frame frame = sealed_frame(20, 2);
    frame.clear_checksum();
    QVERIFY(is_intact(frame));
  }
};

QTEST_GUILESS_MAIN(FrameChecksumTest)
#include "frame_checksum_test.moc"
