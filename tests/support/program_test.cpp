// Where the running program lies.
#include "engine/support/program.h"

#include <QtTest>

using namespace tw;

class ProgramTest : public QObject {
  Q_OBJECT
private slots:
  void what_lies_beside_the_program_is_found_from_anywhere() {
    QString own = QCoreApplication::applicationFilePath();
    std::string name = QFileInfo(own).fileName().toStdString();
    QDir earlier = QDir::current();
    QVERIFY(QDir::setCurrent("/"));
    QCOMPARE(QString::fromStdString(program_beside(name).string()), own);
    QCOMPARE(QString::fromStdString(program_folder().string()),
             QCoreApplication::applicationDirPath());
    QVERIFY(QDir::setCurrent(earlier.path()));
  }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
