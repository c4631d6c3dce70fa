// Libraries of several parts: what was joined comes apart, and nothing else does.
#include "engine/runtime/library_parts.h"

#include <QtTest>

#include "engine/support/base/random.h"

using namespace tw;

namespace {

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

}  // namespace

class LibraryPartsTest : public QObject {
  Q_OBJECT
private slots:
  void parts_come_apart_as_they_were_joined() {
    std::vector<std::byte> library = joined();
    std::vector<LibraryPart> parts = split_parts(library).value();
    QCOMPARE(parts.size(), size_t(3));
    QCOMPARE(text_of(find_part(parts, "host").value()), host_);
    QCOMPARE(text_of(find_part(parts, "cubin:sm_90a").value()), image_);
    QCOMPARE(text_of(find_part(parts, "empty").value()), std::string());
    QCOMPARE(find_part(parts, "ptx").error().message, std::string("the library has no part 'ptx'"));
    QVERIFY(joined() == library);
    QVERIFY(split_parts(join_parts({})).value().empty());
  }

  void what_is_cut_off_or_goes_on_is_refused() {
    std::vector<std::byte> library = joined();
    for (size_t size = 0; size < library.size(); ++size) {
      auto parts = split_parts(std::span(library).first(size));
      QVERIFY(!parts && parts.error().code == "module_not_loadable");
    }
    library.push_back(std::byte{0});
    QVERIFY(!split_parts(library));
  }

  void changed_bytes_are_refused_or_stay_inside() {
    std::vector<std::byte> const library = joined();
    Rng rng(5);
    for (int round = 0; round < 20'000; ++round) {
      std::vector<std::byte> changed = library;
      for (int64_t count = rng.between(1, 4); count > 0; --count)
        changed[size_t(rng.between(0, int64_t(changed.size()) - 1))] =
            std::byte(rng.between(0, 255));
      auto parts = split_parts(changed);
      if (!parts) continue;
      for (LibraryPart const& part : *parts)
        QVERIFY(part.bytes.empty() ||
                (part.bytes.data() >= changed.data() &&
                 part.bytes.data() + part.bytes.size() <= changed.data() + changed.size()));
    }
  }

private:
  std::vector<std::byte> joined() const {
    std::vector<LibraryPart> parts{
        {"host", bytes_of(host_)}, {"cubin:sm_90a", bytes_of(image_)}, {"empty", {}}};
    return join_parts(parts);
  }
  std::string host_ = "\177ELF and more", image_ = std::string("\0\1\2", 3);
};

QTEST_GUILESS_MAIN(LibraryPartsTest)
#include "library_parts_test.moc"
