// The list of devices: what is written is read, what cannot be read is left as it was.
#include "engine/device/registry.h"

#include <QtTest>
#include <fstream>

using namespace tw;

namespace {
QString code(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}
}  // namespace

class RegistryTest : public QObject {
  Q_OBJECT
private slots:
  void devices_are_added_replaced_found_and_removed() {
    QTemporaryDir folder;
    std::filesystem::path file =
        std::filesystem::path(folder.path().toStdString()) / "a" / "d.json";
    QVERIFY(read_devices(file).value().empty());
    DeviceEntry board{"board", "10.0.0.7:50151", "/etc/board.pem", "/etc/board.token"};
    QVERIFY(add_device(file, board));
    QVERIFY(add_device(file, {"second", "127.0.0.1:1", "", ""}));
    QVERIFY(find_device(file, "board").value() == board);
    board.address = "10.0.0.8:50151";
    QVERIFY(add_device(file, board));
    QVERIFY(read_devices(file).value() ==
            (std::vector<DeviceEntry>{board, {"second", "127.0.0.1:1", "", ""}}));
    QCOMPARE(QString::fromStdString(find_device(file, "third").error().message),
             QString("there is no device 'third'; there are: local, board, second"));
    QVERIFY(remove_device(file, "board"));
    QCOMPARE(code(remove_device(file, "board")), QString("unknown_device"));
    QCOMPARE(read_devices(file).value().size(), size_t(1));
  }

  void a_device_may_have_a_time_out_of_its_own() {
    QTemporaryDir folder;
    std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "d.json";
    QVERIFY(add_device(file, {"slow", "127.0.0.1:1", "", "", 900}));
    QCOMPARE(find_device(file, "slow").value().timeout_seconds, 900.0);
    QCOMPARE(code(add_device(file, {"slow", "127.0.0.1:1", "", "", -1})), QString("bad_timeout"));
    QCOMPARE(code(add_device(file, {"slow", "127.0.0.1:1", "", "", 1e9})), QString("bad_timeout"));
    // A list of an earlier version has none.
    auto earlier = parse_devices(
        R"({"tilewright_devices": 1, "devices": [{"name": "a", "address": "h:1",
            "certificate_file": "", "token_file": ""}]})");
    QVERIFY(earlier);
    QCOMPARE(earlier->at(0).timeout_seconds, 0.0);
    QCOMPARE(
        code(parse_devices(
            R"({"tilewright_devices": 1, "devices": [{"name": "a", "timeout_seconds": -3}]})")),
        QString("bad_device_list"));
  }

  void names_that_could_be_taken_for_something_else_are_refused() {
    for (char const* name : {"", "local", "a b", "a/b", "ä", "x\n"})
      QCOMPARE(code(add_device("/nonexistent/devices.json", {name, "h:1", "", ""})),
               QString("bad_device_name"));
  }

  void this_machine_has_more_names_than_one() {
    for (char const* name : {"", "local", "local:cpu"}) QVERIFY2(is_this_machine(name), name);
    for (char const* name : {"board", "localhost", "board:local", "locals:cpu"})
      QVERIFY2(!is_this_machine(name), name);
  }

  void a_broken_list_is_said_with_its_file_and_left_as_it_is() {
    QTemporaryDir folder;
    std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "d.json";
    std::string again =
        R"({"name": "a", "address": "h:1", "certificate_file": "", "token_file": ""})";
    for (std::string const& text :
         {std::string(""), std::string("{"), std::string("[]"),
          std::string(R"({"tilewright_devices": 1})"),
          std::string(R"({"tilewright_devices": "1", "devices": []})"),
          std::string(R"({"tilewright_devices": 1, "devices": [{"name": 3}]})"),
          R"({"tilewright_devices": 1, "devices": [)" + again + "," + again + "]}",
          std::string(R"({"tilewright_devices": 2, "devices": []})")}) {
      std::ofstream(file) << text;
      auto broken = read_devices(file);
      QVERIFY2(!broken, text.c_str());
      QVERIFY(broken.error().place.file == file.string());
      QVERIFY(!add_device(file, {"b", "h:1", "", ""}));
      std::ifstream stream(file);
      QVERIFY(std::string(std::istreambuf_iterator<char>(stream), {}) == text);
    }
  }
};

QTEST_GUILESS_MAIN(RegistryTest)
#include "registry_test.moc"
