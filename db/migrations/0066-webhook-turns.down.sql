drop index webhook_deliveries_turn;
