/* Attachments of a link, as nodes of an RCML file: shapes, cameras, sensors; and the node of the robot as a whole. */
#pragma once

#include "page.h"
#include "robotalk.h"
#include "robotalk/records.h"

void robo__rcml_shape(struct robo__page *page, const struct robo_shape *shape);
void robo__rcml_camera(struct robo__page *page, const struct robo_camera *camera, unsigned number);
void robo__rcml_sensor(struct robo__page *page, const struct robo_sensor *sensor, unsigned number);
void robo__rcml_whole(struct robo__page *page, const struct robo_description *description);
