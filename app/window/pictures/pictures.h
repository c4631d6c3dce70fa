// SPDX-License-Identifier: GPL-3.0-or-later
/// Views as pictures: whole, also where only a part is seen.
#pragma once

#include <QByteArray>
#include <QImage>

class QWidget;

namespace tw {

/// Pixels of a picture for one of the screen.
inline constexpr int kPictureDensity = 2;
/// As the palette and menus call it.
inline constexpr char kSavePicture[] = "Save picture...";
inline constexpr char kCopyPicture[] = "Copy picture";

QImage image_of(QWidget& view);
/// Lines stay lines and words stay words.
QByteArray svg_of(QWidget& view, QString const& title);

}  // namespace tw
